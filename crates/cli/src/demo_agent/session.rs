//! What the demo agent remembers of one session, in memory only: mode, options, permissions, usage, past.
//! It also knows how modes and options look on the wire.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::tool::{Asking, NamedFile};

/// What a session "costs" before the first message, as with real agents and their instructions.
const TOKENS_AT_START: u64 = 1_200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Ask,
    Auto,
}

impl Mode {
    pub(super) const ALL: [Self; 2] = [Self::Ask, Self::Auto];

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Auto => "auto",
        }
    }

    pub(super) fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.id() == id)
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Ask => Self::Auto,
            Self::Auto => Self::Ask,
        }
    }

    fn to_wire(self) -> Value {
        let (name, description) = match self {
            Self::Ask => ("Ask", "Asks before it edits or runs anything"),
            Self::Auto => ("Auto", "Edits and runs without asking"),
        };
        json!({"id": self.id(), "name": name, "description": description})
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    Small,
    Large,
}

impl Model {
    pub(super) const ALL: [Self; 2] = [Self::Small, Self::Large];

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Small => "demo-small",
            Self::Large => "demo-large",
        }
    }

    pub(super) fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.id() == id)
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Small => Self::Large,
            Self::Large => Self::Small,
        }
    }

    /// Returns the size of the context window, in tokens.
    fn window_tokens(self) -> u64 {
        match self {
            Self::Small => 32_000,
            Self::Large => 200_000,
        }
    }

    fn to_wire(self) -> Value {
        let (name, description) = match self {
            Self::Small => ("Demo small", "Imaginary, with a window of 32,000 tokens"),
            Self::Large => ("Demo large", "Imaginary, with a window of 200,000 tokens"),
        };
        json!({"value": self.id(), "name": name, "description": description})
    }
}

/// Whether every answer begins with reasoning: the boolean option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reasoning {
    OnRequest,
    Always,
}

/// Whether the client can show a boolean option; only then may one be sent (ACP v1, client capabilities).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BooleanOptions {
    Shown,
    NotShown,
}

/// Whether a session can be prompted; one that was closed can be loaded or resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attendance {
    Open,
    Closed,
}

/// One finished turn, as `session/load` replays it.
#[derive(Debug)]
pub(super) struct PastTurn {
    pub(super) prompt: String,
    pub(super) answer: String,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) cwd: PathBuf,
    pub(super) attendance: Attendance,
    pub(super) mode: Mode,
    pub(super) model: Model,
    pub(super) reasoning: Reasoning,
    pub(super) title: Option<String>,
    pub(super) past: Vec<PastTurn>,
    always_allowed: BTreeSet<Asking>,
    prompts: u64,
    tool_calls: u64,
    tokens: u64,
}

impl Session {
    pub(super) fn new(id: String, cwd: PathBuf) -> Self {
        Self {
            id,
            cwd,
            attendance: Attendance::Open,
            mode: Mode::Ask,
            model: Model::Small,
            reasoning: Reasoning::OnRequest,
            title: None,
            past: Vec::new(),
            always_allowed: BTreeSet::new(),
            prompts: 0,
            tool_calls: 0,
            tokens: TOKENS_AT_START,
        }
    }

    /// Counts a prompt and returns its number, from 1.
    pub(super) fn count_prompt(&mut self) -> u64 {
        self.prompts += 1;
        self.prompts
    }

    /// Returns an id that no other tool call of this session has.
    pub(super) fn next_tool_call_id(&mut self) -> String {
        self.tool_calls += 1;
        format!("call-{}", self.tool_calls)
    }

    pub(super) fn allow_always(&mut self, asking: Asking) {
        self.always_allowed.insert(asking);
    }

    pub(super) fn is_always_allowed(&self, asking: Asking) -> bool {
        self.always_allowed.contains(&asking)
    }

    /// Returns a file as a person named it, below the working directory unless the name is absolute.
    pub(super) fn file(&self, name: &str) -> NamedFile {
        NamedFile {
            name: name.to_owned(),
            path: self.cwd.join(name),
        }
    }

    /// Counts text that was read or written; four bytes are a token, which is near enough for a script.
    pub(super) fn count_text(&mut self, bytes: usize) {
        self.tokens += (bytes as u64).div_ceil(4);
    }

    /// Returns the `usage_update` of now. The cost is invented: 2 USD for a million tokens.
    pub(super) fn usage_update(&self) -> Value {
        let size = self.model.window_tokens();
        // Small enough by far to be exact in a float.
        let amount = (self.tokens * 2) as f64 / 1_000_000.0;
        json!({
            "sessionUpdate": "usage_update",
            "used": self.tokens.min(size),
            "size": size,
            "cost": {"amount": amount, "currency": "USD"},
        })
    }

    pub(super) fn mode_update(&self) -> Value {
        json!({"sessionUpdate": "current_mode_update", "currentModeId": self.mode.id()})
    }

    pub(super) fn modes(&self) -> Value {
        json!({"currentModeId": self.mode.id(), "availableModes": Mode::ALL.map(Mode::to_wire)})
    }

    pub(super) fn title_update(&self) -> Value {
        json!({"sessionUpdate": "session_info_update", "title": self.title})
    }

    pub(super) fn config_options_update(&self, booleans: BooleanOptions) -> Value {
        json!({"sessionUpdate": "config_option_update", "configOptions": self.config_options(booleans)})
    }

    pub(super) fn config_options(&self, booleans: BooleanOptions) -> Value {
        let model = json!({
            "id": "model",
            "name": "Model",
            "description": "Changes the size of the context window that is shown",
            "category": "model",
            "type": "select",
            "currentValue": self.model.id(),
            "options": Model::ALL.map(Model::to_wire),
        });
        let reasoning = json!({
            "id": "reasoning",
            "name": "Reasoning",
            "description": "Begins every answer with reasoning",
            "category": "thought_level",
            "type": "boolean",
            "currentValue": self.reasoning == Reasoning::Always,
        });
        match booleans {
            BooleanOptions::Shown => json!([model, reasoning]),
            BooleanOptions::NotShown => json!([model]),
        }
    }
}
