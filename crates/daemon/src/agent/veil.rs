//! Keeps an agent's secrets out of what it says in its conversation.
//!
//! Text comes in pieces, and a secret may lie across two of them: the end of a piece that may be the beginning of a secret
//! is held back until more is known. What stands in the trace and the log is blotted out elsewhere, more strictly: here a
//! value that `Secrecy` calls plain is none, since an answer without it could not be read.

use pupitre_model::config::Secrecy;
use pupitre_model::conversation::{ToolPatch, Update, Voice};

use pupitre_protocol::conversation::{FieldInput, Wanted};

use super::acp::{ElicitationRequest, Initialized, PermissionRequest, Redactor};

/// Covers the secrets of one run of an agent.
#[derive(Debug, Default)]
pub(super) struct Veil {
    redactor: Redactor,
    held: Option<Held>,
}

/// The end of a piece of text that may go on as a secret.
#[derive(Debug)]
struct Held {
    voice: Voice,
    message_id: Option<String>,
    text: String,
}

impl Veil {
    /// Returns a veil over those of the values of `env` that are secrets.
    pub(super) fn over(values: &[(String, Secrecy)]) -> Self {
        let secrets = values.iter().filter(|(_, secrecy)| *secrecy == Secrecy::Secret);
        Self {
            redactor: Redactor::new(secrets.map(|(value, _)| value.as_str())),
            held: None,
        }
    }

    /// Returns what may be told of an update, and of what was held back before it.
    pub(super) fn cover(&mut self, update: Update) -> Vec<Update> {
        if self.redactor.is_empty() {
            return vec![update];
        }
        let mut told = Vec::new();
        let update = match update {
            Update::Text {
                voice,
                message_id,
                text,
            } => {
                let goes_on = self
                    .held
                    .as_ref()
                    .is_some_and(|held| held.voice == voice && held.message_id == message_id);
                if !goes_on {
                    told.extend(self.release());
                }
                let before = self.held.take().map(|held| held.text).unwrap_or_default();
                let mut text = self.blot(before + &text);
                let rest = text.split_off(self.redactor.open_end(&text));
                if !rest.is_empty() {
                    self.held = Some(Held {
                        voice,
                        message_id: message_id.clone(),
                        text: rest,
                    });
                }
                // An empty piece still begins a message.
                Update::Text {
                    voice,
                    message_id,
                    text,
                }
            }
            Update::ToolCall(mut patch) => {
                told.extend(self.release());
                self.cover_tool(&mut patch);
                Update::ToolCall(patch)
            }
            Update::Tool(mut patch) => {
                told.extend(self.release());
                self.cover_tool(&mut patch);
                Update::Tool(patch)
            }
            Update::Plan(mut entries) => {
                told.extend(self.release());
                for entry in &mut entries {
                    self.blot_in(&mut entry.content);
                }
                Update::Plan(entries)
            }
            Update::Resource {
                message_id,
                mut resource,
            } => {
                told.extend(self.release());
                self.blot_in(&mut resource.uri);
                self.blot_each([&mut resource.name, &mut resource.text]);
                Update::Resource { message_id, resource }
            }
            Update::Title(mut title) => {
                self.blot_each([&mut title]);
                Update::Title(title)
            }
            update @ (Update::Image { .. }
            | Update::Usage(_)
            | Update::Commands(_)
            | Update::Modes(_)
            | Update::CurrentMode(_)
            | Update::ConfigOptions(_)) => self.cover_choices(update),
        };
        told.push(update);
        told
    }

    /// Blots secrets out of a question to the user.
    pub(super) fn cover_question(&self, request: &mut ElicitationRequest) {
        self.blot_in(&mut request.message);
        match &mut request.wants {
            Wanted::Url { url } => self.blot_in(url),
            Wanted::Form { fields } => {
                for field in fields {
                    self.blot_in(&mut field.title);
                    self.blot_each([&mut field.description]);
                    self.cover_input(&mut field.input);
                }
            }
        }
    }

    /// Blots secrets out of what can be entered. A secret that is filled in already is left out: what stands in its place
    /// would be sent back.
    fn cover_input(&self, input: &mut FieldInput) {
        match input {
            FieldInput::Text {
                default,
                format,
                pattern,
                ..
            } => {
                self.blot_each([format, pattern]);
                if default
                    .as_ref()
                    .is_some_and(|text| self.blot(text.clone()) != *text)
                {
                    *default = None;
                }
            }
            FieldInput::Choice { options, .. } | FieldInput::Choices { options, .. } => {
                for option in options {
                    self.blot_in(&mut option.title);
                    self.blot_each([&mut option.description]);
                }
            }
            FieldInput::Number { .. } | FieldInput::Integer { .. } | FieldInput::Boolean { .. } => {}
        }
    }

    /// Blots secrets out of what an agent offers to choose from: the words, and not the ids, by which it knows the choice.
    pub(super) fn cover_choices(&self, update: Update) -> Update {
        match update {
            Update::Commands(mut commands) => {
                for command in &mut commands {
                    self.blot_in(&mut command.description);
                    self.blot_each([&mut command.hint]);
                }
                Update::Commands(commands)
            }
            Update::Modes(mut modes) => {
                for mode in &mut modes.available {
                    self.blot_in(&mut mode.name);
                    self.blot_each([&mut mode.description]);
                }
                Update::Modes(modes)
            }
            Update::ConfigOptions(mut options) => {
                for option in &mut options {
                    self.blot_in(&mut option.name);
                    self.blot_each([&mut option.description]);
                    for choice in &mut option.choices {
                        self.blot_in(&mut choice.name);
                        self.blot_each([&mut choice.description, &mut choice.group]);
                    }
                }
                Update::ConfigOptions(options)
            }
            // These have no words of their own, or are covered piece by piece.
            other @ (Update::Text { .. }
            | Update::Image { .. }
            | Update::Resource { .. }
            | Update::ToolCall(_)
            | Update::Tool(_)
            | Update::Plan(_)
            | Update::Usage(_)
            | Update::CurrentMode(_)
            | Update::Title(_)) => other,
        }
    }

    /// Blots secrets out of what an agent says of itself in its first answer.
    pub(super) fn cover_introduction(&self, initialized: &mut Initialized) {
        self.blot_each([&mut initialized.version]);
        for method in &mut initialized.auth_methods {
            self.blot_in(&mut method.name);
            self.blot_each([&mut method.description]);
        }
    }

    /// Blots secrets out of a permission request: what it is about, and the words of its options.
    pub(super) fn cover_request(&self, request: &mut PermissionRequest) {
        self.cover_tool(&mut request.tool);
        for option in &mut request.options {
            self.blot_in(&mut option.name);
        }
    }

    fn cover_tool(&self, patch: &mut ToolPatch) {
        self.blot_each([&mut patch.title, &mut patch.input, &mut patch.output]);
        for location in patch.locations.iter_mut().flatten() {
            self.blot_in(&mut location.path);
        }
        for diff in patch.diffs.iter_mut().flatten() {
            self.blot_in(&mut diff.path);
            self.blot_in(&mut diff.new_text);
            self.blot_each([&mut diff.old_text]);
        }
    }

    /// Returns what was held back: nothing follows that could make a secret of it.
    pub(super) fn release(&mut self) -> Option<Update> {
        let Held {
            voice,
            message_id,
            text,
        } = self.held.take()?;
        Some(Update::Text {
            voice,
            message_id,
            text,
        })
    }

    fn blot_in(&self, text: &mut String) {
        *text = self.blot(std::mem::take(text));
    }

    fn blot_each<'a>(&self, texts: impl IntoIterator<Item = &'a mut Option<String>>) {
        for text in texts.into_iter().flatten() {
            self.blot_in(text);
        }
    }

    fn blot(&self, text: String) -> String {
        if self.redactor.is_empty() {
            return text;
        }
        self.redactor.redact_start(&text, text.len()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pupitre_protocol::conversation::{Field, FieldOption};

    use super::*;

    fn text(text: &str) -> Update {
        Update::Text {
            voice: Voice::Answer,
            message_id: None,
            text: text.to_owned(),
        }
    }

    fn veil(secret: &str) -> Veil {
        Veil::over(&[
            (secret.to_owned(), Secrecy::Secret),
            ("the key".to_owned(), Secrecy::Plain),
        ])
    }

    /// Returns what is told of these pieces together.
    fn told(veil: &mut Veil, pieces: &[&str]) -> String {
        let mut updates: Vec<Update> = pieces.iter().flat_map(|piece| veil.cover(text(piece))).collect();
        updates.extend(veil.release());
        let texts = updates.into_iter().map(|update| match update {
            Update::Text { text, .. } => text,
            other => panic!("{other:?}"),
        });
        texts.collect()
    }

    #[test]
    fn a_secret_is_covered_wherever_it_is_cut() {
        let secret = "sk-51c7\"d0é2";
        let whole = format!("the key is {secret}, remember sk-51");
        for at in 0..=whole.len() {
            if whole.is_char_boundary(at) {
                let mut veil = veil(secret);
                let pieces = [&whole[..at], &whole[at..]];
                assert_eq!(told(&mut veil, &pieces), "the key is ***, remember sk-51", "{at}");
            }
        }
        let letters: Vec<String> = whole.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(
            told(&mut veil(secret), &letters),
            "the key is ***, remember sk-51"
        );
    }

    #[test]
    fn another_voice_ends_what_is_held_back() {
        let mut veil = veil("sk-51c7d0e2");
        veil.cover(text("sk-51"));
        let thought = Update::Text {
            voice: Voice::Thought,
            message_id: None,
            text: "c7d0e2".to_owned(),
        };
        assert_eq!(veil.cover(thought.clone()), [text("sk-51"), thought]);
    }

    #[test]
    fn what_a_tool_says_is_covered_too() {
        let mut veil = veil("sk-51c7d0e2");
        let patch = ToolPatch {
            id: "t".into(),
            output: Some("{\"key\":\"sk-51c7d0e2\"}".into()),
            ..ToolPatch::default()
        };
        let [Update::Tool(covered)] = &veil.cover(Update::Tool(patch))[..] else {
            panic!("one update")
        };
        assert_eq!(covered.output.as_deref(), Some("{\"key\":\"***\"}"));
    }

    #[test]
    fn what_a_question_offers_is_covered_and_a_secret_is_not_filled_in() {
        let secret = "sk-51c7d0e2";
        let text = |default: &str| FieldInput::Text {
            format: None,
            min_length: None,
            max_length: None,
            pattern: None,
            default: Some(default.to_owned()),
        };
        let field = |input| Field {
            name: "f".into(),
            title: format!("as {secret}"),
            description: None,
            required: true,
            input,
        };
        let option = FieldOption {
            value: "v".into(),
            title: format!("use {secret}"),
            description: Some(secret.into()),
        };
        let choice = FieldInput::Choice {
            options: vec![option],
            default: None,
        };
        let mut request = ElicitationRequest {
            session: None,
            message: format!("is it {secret}?"),
            wants: Wanted::Form {
                fields: vec![field(text(secret)), field(text("plain")), field(choice)],
            },
            elicitation: None,
        };
        veil(secret).cover_question(&mut request);
        let shown = format!("{request:?}");
        assert!(!shown.contains(secret), "{shown}");
        for word in ["is it ***?", "as ***", "use ***", "default: Some(\"plain\")"] {
            assert!(shown.contains(word), "{word}: {shown}");
        }
        let Wanted::Form { fields } = request.wants else {
            panic!("it is a form")
        };
        assert_eq!(
            fields[0].input,
            FieldInput::Text {
                format: None,
                min_length: None,
                max_length: None,
                pattern: None,
                default: None
            }
        );
    }

    proptest! {
        #[test]
        fn no_cut_shows_a_secret(secret in "[ab1]{4,12}", pieces in prop::collection::vec("[ab1 ]{0,9}", 0..12)) {
            let mut veil = veil(&secret);
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let whole = pieces.concat();
            let shown = told(&mut veil, &pieces);
            prop_assert!(!shown.contains(&secret), "{shown}");
            prop_assert!(whole.contains(&secret) || shown == whole, "{shown}");
        }
    }
}
