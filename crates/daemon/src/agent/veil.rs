//! Keeps an agent's secrets out of what it says in its conversation.
//!
//! Text comes in pieces, and a secret may lie across two of them: the end of a piece that may be the beginning of a secret
//! is held back until more is known. What stands in the trace and the log is blotted out elsewhere, more strictly: here a
//! value that `Secrecy` calls plain is none, since an answer without it could not be read. An id that holds a secret goes by
//! another name here, and by its own to the agent.

use pupitre_model::config::Secrecy;
use pupitre_model::conversation::{ToolPatch, Update, Voice};

use pupitre_protocol::conversation::{
    Cost, Diff, Field, FieldInput, FieldOption, Location, Media, PermissionOption, PlanEntry, Resource,
    Wanted,
};
use serde_json::{Map, Value};

use super::acp::{ElicitationRequest, Initialized, PermissionRequest, Redactor};

/// Covers the secrets of one run of an agent.
#[derive(Debug, Default)]
pub(super) struct Veil {
    redactor: Redactor,
    held: Option<Held>,
    aliases: Vec<Alias>,
}

/// An id of the agent's that holds a secret, and what it is called instead.
#[derive(Debug)]
struct Alias {
    own: String,
    shown: String,
}

/// How many such ids are known at once; one beyond them is covered, and cannot be answered with.
const ALIASES: usize = 1_024;

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
            aliases: Vec::new(),
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
                for PlanEntry {
                    content,
                    priority,
                    status,
                } in &mut entries
                {
                    self.blot_in(content);
                    self.blot_in(priority);
                    self.blot_in(status);
                }
                Update::Plan(entries)
            }
            Update::Resource {
                message_id,
                mut resource,
            } => {
                told.extend(self.release());
                let Resource {
                    uri,
                    name,
                    mime_type,
                    text,
                    truncated: _,
                } = &mut resource;
                self.blot_in(uri);
                self.blot_each([name, mime_type, text]);
                Update::Resource { message_id, resource }
            }
            Update::Title(mut title) => {
                self.blot_each([&mut title]);
                Update::Title(title)
            }
            Update::Image {
                message_id,
                mut image,
            } => {
                told.extend(self.release());
                // What is in the picture is not looked at.
                let Media {
                    mime_type,
                    data: _,
                    uri,
                    truncated: _,
                } = &mut image;
                self.blot_in(mime_type);
                self.blot_each([uri]);
                Update::Image { message_id, image }
            }
            Update::Usage(mut usage) => {
                if let Some(Cost { amount: _, currency }) = &mut usage.cost {
                    self.blot_in(currency);
                }
                Update::Usage(usage)
            }
            update @ (Update::Commands(_)
            | Update::Modes(_)
            | Update::CurrentMode(_)
            | Update::ConfigOptions(_)) => self.cover_choices(update),
        };
        told.push(update);
        told
    }

    /// Blots secrets out of a question to the user.
    pub(super) fn cover_question(&mut self, request: &mut ElicitationRequest) {
        self.blot_in(&mut request.message);
        match &mut request.wants {
            Wanted::Url { url } => self.blot_in(url),
            Wanted::Form { fields } => {
                for field in fields {
                    self.cover_id(&mut field.name);
                    self.blot_in(&mut field.title);
                    self.blot_each([&mut field.description]);
                    self.cover_input(&mut field.input);
                }
            }
        }
    }

    /// Blots secrets out of what can be entered. A secret that is filled in already is left out: what stands in its place
    /// would be sent back.
    fn cover_input(&mut self, input: &mut FieldInput) {
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
            FieldInput::Choice { options, default } => {
                self.cover_options(options);
                default.iter_mut().for_each(|value| self.cover_id(value));
            }
            FieldInput::Choices { options, default, .. } => {
                self.cover_options(options);
                default.iter_mut().for_each(|value| self.cover_id(value));
            }
            FieldInput::Number { .. } | FieldInput::Integer { .. } | FieldInput::Boolean { .. } => {}
        }
    }

    fn cover_options(&mut self, options: &mut [FieldOption]) {
        for option in options {
            self.cover_id(&mut option.value);
            self.blot_in(&mut option.title);
            self.blot_each([&mut option.description]);
        }
    }

    /// Returns the values of a form as its agent knows them.
    pub(super) fn uncover_form(&self, fields: &[Field], content: Map<String, Value>) -> Map<String, Value> {
        let value_of = |field: &str, value: Value| {
            let input = fields.iter().find(|known| known.name == field);
            match (input.map(|field| &field.input), value) {
                (Some(FieldInput::Choice { .. }), Value::String(choice)) => self.own(&choice).into(),
                (Some(FieldInput::Choices { .. }), Value::Array(choices)) => {
                    let own = |choice: Value| {
                        choice
                            .as_str()
                            .map(|choice| self.own(choice).into())
                            .unwrap_or(choice)
                    };
                    choices.into_iter().map(own).collect()
                }
                (_, value) => value,
            }
        };
        let entries = content.into_iter();
        entries
            .map(|(field, value)| (self.own(&field).to_owned(), value_of(&field, value)))
            .collect()
    }

    /// Gives an id that holds a secret another name, always the same one.
    fn cover_id(&mut self, id: &mut String) {
        if let Some(alias) = self.aliases.iter().find(|alias| alias.own == *id) {
            id.clone_from(&alias.shown);
            return;
        }
        let blotted = self.blot(id.clone());
        let is_free = |name: &str| self.aliases.iter().all(|alias| alias.shown != name);
        if blotted == *id && is_free(id) {
            return;
        }
        let mut shown = blotted.clone();
        let mut number = 1_u32;
        while !is_free(&shown) {
            number += 1;
            shown = format!("{blotted} {number}");
        }
        let own = std::mem::replace(id, shown.clone());
        if self.aliases.len() < ALIASES {
            self.aliases.push(Alias { own, shown });
        }
    }

    /// Returns the agent's own id of what is called like this.
    pub(super) fn own<'a>(&'a self, shown: &'a str) -> &'a str {
        let alias = self.aliases.iter().find(|alias| alias.shown == shown);
        alias.map_or(shown, |alias| &alias.own)
    }

    /// Blots secrets out of what an agent offers to choose from.
    pub(super) fn cover_choices(&mut self, update: Update) -> Update {
        match update {
            Update::Commands(mut commands) => {
                for command in &mut commands {
                    self.blot_in(&mut command.name);
                    self.blot_in(&mut command.description);
                    self.blot_each([&mut command.hint]);
                }
                Update::Commands(commands)
            }
            Update::CurrentMode(mut mode) => {
                self.cover_id(&mut mode);
                Update::CurrentMode(mode)
            }
            Update::Modes(mut modes) => {
                self.cover_id(&mut modes.current);
                for mode in &mut modes.available {
                    self.cover_id(&mut mode.id);
                    self.blot_in(&mut mode.name);
                    self.blot_each([&mut mode.description]);
                }
                Update::Modes(modes)
            }
            Update::ConfigOptions(mut options) => {
                for option in &mut options {
                    self.cover_id(&mut option.id);
                    if let Value::String(value) = &mut option.value {
                        self.cover_id(value);
                    }
                    self.blot_in(&mut option.name);
                    self.blot_each([&mut option.description, &mut option.category]);
                    for choice in &mut option.choices {
                        self.cover_id(&mut choice.value);
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
            | Update::Title(_)) => other,
        }
    }

    /// Blots secrets out of what an agent says of itself in its first answer.
    pub(super) fn cover_introduction(&mut self, initialized: &mut Initialized) {
        self.blot_each([&mut initialized.version]);
        for method in &mut initialized.auth_methods {
            self.cover_id(&mut method.id);
            self.blot_in(&mut method.name);
            self.blot_each([&mut method.description]);
        }
    }

    /// Blots secrets out of a permission request: what it is about, and its options.
    pub(super) fn cover_request(&mut self, request: &mut PermissionRequest) {
        self.cover_tool(&mut request.tool);
        for PermissionOption {
            option_id,
            name,
            kind,
        } in &mut request.options
        {
            self.cover_id(option_id);
            self.blot_in(name);
            self.blot_in(kind);
        }
    }

    fn cover_tool(&self, patch: &mut ToolPatch) {
        let ToolPatch {
            id,
            title,
            kind: _,
            status: _,
            input,
            output,
            locations,
            diffs,
            panes: _,
        } = patch;
        self.blot_in(id);
        self.blot_each([title, input, output]);
        for Location { path, line: _ } in locations.iter_mut().flatten() {
            self.blot_in(path);
        }
        for Diff {
            path,
            old_text,
            new_text,
            new_file: _,
        } in diffs.iter_mut().flatten()
        {
            self.blot_in(path);
            self.blot_in(new_text);
            self.blot_each([old_text]);
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
mod tests;
