//! One turn as it comes: folds frames and snapshots into what is new to tell, each thing once.
//!
//! Pure. A message says at which revision it is true; an event of no later revision is part of it already, so that
//! events and snapshots may come in any order.

use std::collections::{BTreeMap, BTreeSet};

use pupitre_protocol::conversation::{
    ConversationView, Elicitation, Login, Message, Part, PartKind, Permission, PlanEntry, Role, StopReason,
    SystemCode, ToolCall, ToolStatus, Usage,
};
use pupitre_protocol::event::{Event, Frame, MessageDelta};
use pupitre_protocol::{Cause, ConversationId, ElicitationId, MessageId, PermissionId};

/// The turn of one message of ours.
#[derive(Debug)]
pub(super) struct Turn {
    message: MessageId,
    conversation: ConversationId,
    answers: BTreeMap<MessageId, Answer>,
    /// The permission requests and system messages that were told.
    told_permissions: BTreeSet<PermissionId>,
    told_messages: BTreeSet<MessageId>,
    told_elicitations: BTreeSet<ElicitationId>,
    /// Whether the turn has begun: what the agent asks before is asked of somebody else.
    begun: bool,
    told_login: bool,
    /// That it is silent was told, and it has not spoken since.
    told_stall: bool,
    usage: Option<Usage>,
    ended: bool,
}

/// One message of the agent in this turn.
#[derive(Debug)]
struct Answer {
    rev: u64,
    parts: Vec<Part>,
    /// What of each part was told.
    told: Vec<Told>,
}

/// What of a part was told.
#[derive(Debug, Clone, PartialEq)]
enum Told {
    Nothing,
    /// So many bytes of its text.
    Text(usize),
    Tool(ToolStatus),
    Plan(Vec<PlanEntry>),
    Whole,
}

/// Something new to tell, or to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Text {
        text: String,
        begins: Begins,
    },
    Thought {
        text: String,
        begins: Begins,
    },
    /// A tool call began to run, or ended.
    Tool(ToolCall),
    Plan(Vec<PlanEntry>),
    /// An image or a resource.
    Attachment(Part),
    /// What a system message says beside the answer.
    Remark(SystemCode),
    /// The agent has said nothing for so long that it may be stuck.
    Stalled,
    Asks(Permission),
    Answered(PermissionId),
    Elicits(Elicitation),
    ElicitationOver(ElicitationId),
    WantsLogin(Login),
    LoginOver,
    /// Events were lost: the conversation must be fetched and joined.
    Lost,
    Ended(End),
}

/// What a piece of text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// It stands behind something else than text of its kind.
    Paragraph,
    /// It goes on where the text before it ended, perhaps in the message before.
    Nothing,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    pub(super) stop_reason: Option<StopReason>,
    pub(super) error: Option<String>,
    pub(super) cause: Option<Cause>,
}

impl Turn {
    /// Returns the turn of this message, of which nothing has come yet.
    pub(super) fn new(message: MessageId, conversation: ConversationId) -> Self {
        Self {
            message,
            conversation,
            answers: BTreeMap::new(),
            told_permissions: BTreeSet::new(),
            told_messages: BTreeSet::new(),
            told_elicitations: BTreeSet::new(),
            begun: false,
            told_login: false,
            told_stall: false,
            usage: None,
            ended: false,
        }
    }

    /// Takes the next event.
    pub(super) fn apply(&mut self, frame: Frame) -> Vec<Step> {
        let mut steps = Vec::new();
        match frame.event {
            Event::MessageUpdated(updated) => self.message(updated.message, &mut steps),
            Event::MessageDelta(delta) => self.delta(delta, &mut steps),
            Event::PermissionRequested(requested) => self.permission(requested.into_permission(), &mut steps),
            Event::PermissionResolved(resolved) if self.told_permissions.contains(&resolved.id) => {
                steps.push(Step::Answered(resolved.id));
            }
            Event::UsageChanged(changed) if changed.conversation == self.conversation => {
                self.usage = Some(changed.usage);
            }
            Event::ElicitationRequested(requested) => self.elicitation(requested.elicitation, &mut steps),
            Event::ElicitationResolved(resolved) if self.told_elicitations.contains(&resolved.id) => {
                steps.push(Step::ElicitationOver(resolved.id));
            }
            Event::TurnChanged(changed) if changed.conversation == self.conversation => {
                self.login(changed.login, &mut steps);
                self.stall(changed.stalled, &mut steps);
            }
            Event::Dropped(_) | Event::Resync(_) => steps.push(Step::Lost),
            // Of others, or of no interest to one turn.
            Event::PermissionResolved(_)
            | Event::ElicitationResolved(_)
            | Event::UsageChanged(_)
            | Event::AgentState(_)
            | Event::AgentLog(_)
            | Event::AgentTrace(_)
            | Event::ConversationChanged(_)
            | Event::ConversationDeleted(_)
            | Event::ConfigChanged(_)
            | Event::SurfaceOpened(_)
            | Event::SurfaceClosed(_)
            | Event::SurfaceChanged(_)
            | Event::StateChanged(_)
            | Event::WorkspacesChanged(_)
            | Event::ChannelUpdated(_)
            | Event::TurnChanged(_)
            | Event::CommandsChanged(_)
            | Event::SessionChanged(_)
            | Event::Subscribed(_)
            | Event::Heartbeat(_) => {}
        }
        steps
    }

    /// Takes the conversation as it is now, after events were lost. `view` must reach back to the message itself.
    pub(super) fn join(&mut self, view: ConversationView) -> Vec<Step> {
        let mut steps = Vec::new();
        for message in view.messages {
            self.message(message, &mut steps);
        }
        for permission in view.permissions {
            self.permission(permission, &mut steps);
        }
        for elicitation in view.elicitations {
            self.elicitation(elicitation, &mut steps);
        }
        self.login(view.login, &mut steps);
        self.stall(view.stalled, &mut steps);
        if view.usage.is_some() {
            self.usage = view.usage;
        }
        steps
    }

    /// Returns the text of the whole answer: all text parts of the turn's messages, one after the other.
    pub(super) fn text(&self) -> String {
        let parts = self.answers.values().flat_map(|answer| &answer.parts);
        parts
            .filter_map(|part| {
                if let Part::Text { text } = part {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect()
    }

    /// Returns the last use of the context window that was told.
    pub(super) fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    fn message(&mut self, message: Message, steps: &mut Vec<Step>) {
        if message.conversation != self.conversation {
            return;
        }
        match message.role {
            Role::User if message.id == self.message => {
                self.begun |= !message.queued;
                // It will have no turn: somebody's Stop dropped it, or it was taken back.
                if message.error.is_some() {
                    self.end(
                        End {
                            stop_reason: None,
                            error: message.error,
                            cause: message.cause,
                        },
                        steps,
                    );
                }
            }
            Role::User => {}
            Role::Agent if message.turn == Some(self.message) => self.answer(message, steps),
            Role::Agent => {}
            Role::System if message.turn == Some(self.message) => self.system(message, steps),
            Role::System => {}
        }
    }

    fn answer(&mut self, message: Message, steps: &mut Vec<Step>) {
        let answer = self.answers.entry(message.id).or_insert(Answer {
            rev: 0,
            parts: Vec::new(),
            told: Vec::new(),
        });
        if message.rev > answer.rev {
            answer.rev = message.rev;
            answer.parts = message.parts;
            self.tell(message.id, steps);
        }
        if message.done && (message.stop_reason.is_some() || message.error.is_some()) {
            self.end(
                End {
                    stop_reason: message.stop_reason,
                    error: message.error,
                    cause: message.cause,
                },
                steps,
            );
        }
    }

    fn system(&mut self, message: Message, steps: &mut Vec<Step>) {
        let Some(code) = message.code else { return };
        if !self.told_messages.insert(message.id) {
            return;
        }
        match code {
            SystemCode::AgentRestarted | SystemCode::TooManyRequests => steps.push(Step::Remark(code)),
            // No answer will come: the turn ends with this message.
            SystemCode::AgentUnavailable => self.end(
                End {
                    stop_reason: None,
                    error: message.error,
                    cause: message.cause,
                },
                steps,
            ),
        }
    }

    fn delta(&mut self, delta: MessageDelta, steps: &mut Vec<Step>) {
        // A message that is not known here is another turn's.
        let Some(answer) = self.answers.get_mut(&delta.message_id) else {
            return;
        };
        if delta.rev <= answer.rev {
            return;
        }
        let id = delta.message_id;
        answer.rev = delta.rev;
        if answer.append(delta) {
            self.tell(id, steps);
        } else {
            steps.push(Step::Lost);
        }
    }

    /// Tells what of a message was not told yet.
    fn tell(&mut self, id: MessageId, steps: &mut Vec<Step>) {
        let before = self
            .answers
            .range(..id)
            .filter_map(|(_, answer)| answer.parts.last())
            .next_back();
        let mut before = before.map(Part::kind);
        let Some(answer) = self.answers.get_mut(&id) else {
            return;
        };
        answer
            .told
            .resize(answer.parts.len().max(answer.told.len()), Told::Nothing);
        for (part, told) in answer.parts.iter().zip(&mut answer.told) {
            steps.extend(news_of(part, before, told));
            before = Some(part.kind());
        }
    }

    fn permission(&mut self, permission: Permission, steps: &mut Vec<Step>) {
        if self.answers.contains_key(&permission.message_id) && self.told_permissions.insert(permission.id) {
            steps.push(Step::Asks(permission));
        }
    }

    fn elicitation(&mut self, elicitation: Elicitation, steps: &mut Vec<Step>) {
        let is_ours = self.begun && elicitation.conversation == self.conversation;
        if is_ours && self.told_elicitations.insert(elicitation.id) {
            steps.push(Step::Elicits(elicitation));
        }
    }

    fn login(&mut self, login: Option<Login>, steps: &mut Vec<Step>) {
        if !self.begun {
            return;
        }
        match login {
            Some(login) if !self.told_login => {
                self.told_login = true;
                steps.push(Step::WantsLogin(login));
            }
            Some(_) => {}
            None if self.told_login => {
                self.told_login = false;
                steps.push(Step::LoginOver);
            }
            None => {}
        }
    }

    fn stall(&mut self, stalled: bool, steps: &mut Vec<Step>) {
        if self.begun && stalled && !self.told_stall {
            steps.push(Step::Stalled);
        }
        self.told_stall = stalled;
    }

    fn end(&mut self, end: End, steps: &mut Vec<Step>) {
        if !self.ended {
            self.ended = true;
            steps.push(Step::Ended(end));
        }
    }
}

impl Answer {
    /// Adds what a delta brings; returns whether it fits what is here.
    fn append(&mut self, delta: MessageDelta) -> bool {
        let Ok(index) = usize::try_from(delta.index) else {
            return false;
        };
        if index > self.parts.len() {
            return false;
        }
        match (self.parts.get_mut(index), delta.part, delta.text) {
            (Some(part), Some(whole), _) => *part = whole,
            (None, Some(whole), _) => self.parts.push(whole),
            (Some(Part::Text { text } | Part::Thought { text }), None, Some(more)) => text.push_str(&more),
            (None, None, Some(text)) => match delta.kind {
                PartKind::Text => self.parts.push(Part::Text { text }),
                PartKind::Thought => self.parts.push(Part::Thought { text }),
                PartKind::Tool | PartKind::Plan | PartKind::Image | PartKind::Resource => return false,
            },
            (Some(_), None, Some(_)) | (_, None, None) => return false,
        }
        true
    }
}

/// Returns what of a part was not told yet, and takes note that it is told now. `before` is the kind of the part
/// before it.
fn news_of(part: &Part, before: Option<PartKind>, told: &mut Told) -> Option<Step> {
    let goes_on = *told != Told::Nothing || before == Some(part.kind());
    let begins = if goes_on {
        Begins::Nothing
    } else {
        Begins::Paragraph
    };
    match part {
        Part::Text { text } => new_text(text, told).map(|text| Step::Text { text, begins }),
        Part::Thought { text } => new_text(text, told).map(|text| Step::Thought { text, begins }),
        Part::Tool { tool } => {
            // That it waits is said by the permission request, if it waits for that.
            let news = tool.status != ToolStatus::Pending && *told != Told::Tool(tool.status);
            news.then(|| {
                *told = Told::Tool(tool.status);
                Step::Tool(tool.clone())
            })
        }
        Part::Plan { entries } => {
            let now = Told::Plan(entries.clone());
            (*told != now).then(|| {
                *told = now;
                Step::Plan(entries.clone())
            })
        }
        Part::Image { .. } | Part::Resource { .. } => (*told == Told::Nothing).then(|| {
            *told = Told::Whole;
            Step::Attachment(part.clone())
        }),
    }
}

fn new_text(text: &str, told: &mut Told) -> Option<String> {
    let from = match told {
        Told::Text(bytes) => *bytes,
        Told::Nothing | Told::Tool(_) | Told::Plan(_) | Told::Whole => 0,
    };
    // Text only ever grows; one that did not is not told twice.
    let news = text.get(from..).filter(|news| !news.is_empty())?.to_owned();
    *told = Told::Text(text.len());
    Some(news)
}
