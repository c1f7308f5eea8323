//! What a person at the terminal is asked during a turn, one question after the other, and how a typed line answers it.

use pupitre_protocol::conversation::{Elicitation, ElicitationAction, Field, Login, Permission, Wanted};
use pupitre_protocol::{ElicitationId, PermissionId};
use serde_json::{Map, Value};

use super::permission::{Choice, choice};
use crate::form::{Entered, enter};

/// Typed instead of a value, declines a form.
pub(super) const DECLINE: &str = "/decline";

/// A question to the person.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    Permission(Permission),
    Form(Form),
    Visit { elicitation: Elicitation, url: String },
    Login(Login),
}

/// A form that is being filled in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) elicitation: Elicitation,
    fields: Vec<Field>,
    /// Which field is asked for.
    position: usize,
    content: Map<String, Value>,
}

/// What a typed line comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answered {
    Permission {
        id: PermissionId,
        option_id: Option<String>,
    },
    Elicitation {
        id: ElicitationId,
        action: ElicitationAction,
        content: Map<String, Value>,
    },
    /// The way to log in that was chosen; without one the message is taken back.
    Login { method_id: Option<String> },
    /// The same question again, for this reason.
    Refused { reason: String, question: Box<Question> },
    /// The same question again, or the next field of its form.
    Again(Box<Question>),
}

impl Question {
    pub(super) fn of_elicitation(elicitation: Elicitation) -> Self {
        match elicitation.wants.clone() {
            Wanted::Form { fields } => Self::Form(Form {
                elicitation,
                fields,
                position: 0,
                content: Map::new(),
            }),
            Wanted::Url { url } => Self::Visit { elicitation, url },
        }
    }

    pub(super) fn is_permission(&self, wanted: PermissionId) -> bool {
        matches!(self, Self::Permission(permission) if permission.id == wanted)
    }

    pub(super) fn is_elicitation(&self, wanted: ElicitationId) -> bool {
        match self {
            Self::Form(Form { elicitation, .. }) | Self::Visit { elicitation, .. } => {
                elicitation.id == wanted
            }
            Self::Permission(_) | Self::Login(_) => false,
        }
    }

    pub(super) fn is_login(&self) -> bool {
        matches!(self, Self::Login(_))
    }

    /// Takes a line; without one, stdin has ended.
    pub(super) fn typed(self, line: Option<&str>) -> Answered {
        match self {
            Self::Permission(permission) => {
                let id = permission.id;
                match choice(&permission, line) {
                    Choice::Option(option_id) => Answered::Permission {
                        id,
                        option_id: Some(option_id),
                    },
                    Choice::Dismiss => Answered::Permission { id, option_id: None },
                    Choice::Unclear => Answered::Again(Box::new(Self::Permission(permission))),
                }
            }
            Self::Form(form) => form.typed(line),
            Self::Visit { elicitation, url } => {
                let id = elicitation.id;
                let action = match line.map(|line| line.trim().to_lowercase()).as_deref() {
                    None => ElicitationAction::Cancel,
                    Some("y" | "yes") => ElicitationAction::Accept,
                    Some("n" | "no") => ElicitationAction::Decline,
                    Some(_) => return Answered::Again(Box::new(Self::Visit { elicitation, url })),
                };
                let content = Map::new();
                Answered::Elicitation { id, action, content }
            }
            Self::Login(login) => {
                let number = line.map(|line| line.trim().parse::<usize>());
                match number {
                    None | Some(Ok(0)) => Answered::Login { method_id: None },
                    Some(Ok(number)) if number <= login.methods.len() => Answered::Login {
                        method_id: Some(login.methods[number - 1].id.clone()),
                    },
                    Some(_) => Answered::Again(Box::new(Self::Login(login))),
                }
            }
        }
    }
}

impl Form {
    /// Returns the field that is asked for, unless there is none.
    pub(super) fn field(&self) -> Option<&Field> {
        self.fields.get(self.position)
    }

    /// Says whether nothing of it was asked yet.
    pub(super) fn begins(&self) -> bool {
        self.position == 0
    }

    fn typed(mut self, line: Option<&str>) -> Answered {
        let id = self.elicitation.id;
        let over = |action| Answered::Elicitation {
            id,
            action,
            content: Map::new(),
        };
        let Some(line) = line else {
            return over(ElicitationAction::Cancel);
        };
        if line.trim() == DECLINE {
            return over(ElicitationAction::Decline);
        }
        if let Some(field) = self.field() {
            match enter(field, line) {
                Entered::Value(value) => drop(self.content.insert(field.name.clone(), value)),
                Entered::Nothing => {}
                Entered::Unclear => return Answered::Again(Box::new(Question::Form(self))),
                Entered::Wrong(reason) => {
                    return Answered::Refused {
                        reason,
                        question: Box::new(Question::Form(self)),
                    };
                }
            }
            self.position += 1;
        } else {
            match line.trim().to_lowercase().as_str() {
                "" | "y" | "yes" => {}
                "n" | "no" => return over(ElicitationAction::Decline),
                _ => return Answered::Again(Box::new(Question::Form(self))),
            }
        }
        if self.field().is_some() {
            return Answered::Again(Box::new(Question::Form(self)));
        }
        Answered::Elicitation {
            id,
            action: ElicitationAction::Accept,
            content: self.content,
        }
    }
}
