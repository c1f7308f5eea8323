//! Turns what a prompt asks for into the steps of a turn: what to send, when to pause, what to ask.
//! Pure: steps are made here and done by `agent`.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use super::picture;
use super::prose;
use super::session::{Mode, Model, Reasoning, Session};
use super::tool::{Action, ToolCall};
use super::word::{Language, Wish, Word, language_of, read_wish};

/// The pace of the word `slow`.
const SLOW_CHUNK: Duration = Duration::from_millis(200);

/// The pause in which a pretended tool works or a plan's step gets done, in beats.
const WORK_BEATS: u32 = 25;

#[derive(Debug)]
pub(super) enum Step {
    Update(Value),
    Say(String),
    Pause(Pause),
    Ask(ToolCall),
    Elicit(Question),
    SetMode(Option<Mode>),
    SetModel(Option<Model>),
    SetTitle(String),
    ReportUsage,
    Count(Counter),
    WaitForCancel,
    End(End),
    Crash,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Pause {
    /// Multiples of the agent's pace.
    Beats(u32),
    Fixed(Duration),
}

/// A long row of small things, made one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counter {
    pub(super) kind: CounterKind,
    pub(super) next: u32,
    pub(super) last: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum CounterKind {
    TinyChunks,
    SlowChunks,
    StderrLines,
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Complete,
    MaxTokens,
    Refusal,
    Cancelled,
    Error,
}

/// What the user is asked besides permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Form,
    Visit,
}

/// How a permission came, or why it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    AllowedOnce,
    AllowedAlways,
    AllowedEarlier,
    AllowedByMode,
    Rejected,
    Unanswered,
}

/// What a client sent with `session/prompt`, read.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) text: String,
    /// One line each, for content that is no text.
    pub(super) attachments: Vec<String>,
}

impl Prompt {
    /// Reads content blocks of every kind; only text is understood.
    pub(super) fn read(blocks: &[Value]) -> Self {
        let mut texts = Vec::new();
        let mut attachments = Vec::new();
        for block in blocks {
            let text = |field: &str| block[field].as_str().unwrap_or_default();
            match text("type") {
                "text" => texts.push(text("text")),
                "image" => {
                    // Four letters of base64 are three bytes.
                    let bytes = text("data").len() / 4 * 3;
                    attachments.push(format!("an image ({}, about {bytes} bytes)", text("mimeType")));
                }
                "resource_link" => {
                    attachments.push(format!("a link to {} (`{}`)", text("name"), text("uri")))
                }
                "resource" => {
                    let resource = &block["resource"];
                    let uri = resource["uri"].as_str().unwrap_or_default();
                    let content = resource["text"]
                        .as_str()
                        .or(resource["blob"].as_str())
                        .unwrap_or_default();
                    attachments.push(format!("the content of `{uri}` ({} bytes)", content.len()));
                }
                kind => attachments.push(format!("something I do not know (`{kind}`)")),
            }
        }
        Prompt {
            text: texts.join("\n"),
            attachments,
        }
    }
}

/// Returns the steps of a turn.
pub(super) fn steps(prompt: &Prompt, session: &mut Session, prompt_number: u64) -> VecDeque<Step> {
    let mut script = Script::default();
    let wish = read_wish(&prompt.text);
    let begins_with_thought = matches!(&wish, Wish::Words(words) if words.first() == Some(&Word::Think));
    if session.reasoning == Reasoning::Always && !begins_with_thought {
        script.think();
    }
    match wish {
        Wish::Words(words) => {
            script.say(&prose::received(&prompt.attachments));
            for word in words {
                script.word(word, language_of(&prompt.text), session);
            }
        }
        Wish::Greeting => {
            script.say(&prose::received(&prompt.attachments));
            script.say(prose::hello(language_of(&prompt.text)));
        }
        Wish::UnknownCommand { name } => script.say(&prose::unknown_command(&name)),
        Wish::Anything => script.say(&prose::echo(&prompt.text, &prompt.attachments, prompt_number)),
    }
    script.steps.push_back(Step::End(End::Complete));
    script.steps
}

/// Returns the steps that follow a decision about a tool call.
pub(super) fn steps_after(tool_call: &ToolCall, decision: Decision) -> VecDeque<Step> {
    let mut script = Script::default();
    let note = match decision {
        Decision::AllowedOnce => "",
        Decision::AllowedAlways => "I will not ask for this again in this conversation. ",
        Decision::AllowedEarlier => "You said *always*, so I did not ask. ",
        Decision::AllowedByMode => "In mode *auto* I do not ask. ",
        Decision::Rejected => "You said no, and nothing happens.\n\n",
        Decision::Unanswered => "Nobody answered, and nothing happens.\n\n",
    };
    match decision {
        Decision::Rejected | Decision::Unanswered => {
            script.update(tool_call.failed());
            script.say(note);
        }
        Decision::AllowedOnce
        | Decision::AllowedAlways
        | Decision::AllowedEarlier
        | Decision::AllowedByMode => {
            script.work(tool_call);
            script.say(note);
            script.say(match tool_call.action {
                Action::Read { .. } => "I made its content up: no file was read.\n\n",
                Action::Edit { .. } => "This is a demonstration: no file was changed.\n\n",
                Action::Run { .. } => "This is a demonstration: nothing was run.\n\n",
                Action::Nothing => "Thank you. There was nothing to do.\n\n",
            });
        }
    }
    script.steps
}

/// Returns the steps that follow the answer to a question.
pub(super) fn steps_after_question(question: Question, answer: &Value) -> VecDeque<Step> {
    let mut script = Script::default();
    let said = match answer["action"].as_str() {
        Some("accept") => match question {
            Question::Form => {
                let mut said = String::from("You entered:\n\n");
                for (name, value) in answer["content"].as_object().into_iter().flatten() {
                    said.push_str(&format!("- {name}: `{value}`\n"));
                }
                said.push('\n');
                said
            }
            Question::Visit => "You agreed to go there.\n\n".to_owned(),
        },
        Some("decline") => "You said no.\n\n".to_owned(),
        _ => "You did not answer.\n\n".to_owned(),
    };
    script.say(&said);
    script.steps
}

impl Question {
    /// Returns the parameters of `elicitation/create`.
    pub(super) fn params(self, session_id: &str) -> Value {
        match self {
            Self::Form => json!({
                "sessionId": session_id,
                "mode": "form",
                "message": "How shall I imagine your project?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "title": "Name", "description": "What it is called",
                            "minLength": 1, "maxLength": 40},
                        "language": {"type": "string", "title": "Language", "oneOf": [
                            {"const": "rust", "title": "Rust"},
                            {"const": "typescript", "title": "TypeScript"},
                            {"const": "other", "title": "Something else"},
                        ], "default": "rust"},
                        "files": {"type": "integer", "title": "Files", "minimum": 1, "maximum": 1000, "default": 12},
                        "tests": {"type": "boolean", "title": "It has tests", "default": true},
                        "tools": {"type": "array", "title": "Tools", "maxItems": 2, "items": {"anyOf": [
                            {"const": "lint", "title": "Linter"},
                            {"const": "format", "title": "Formatter"},
                            {"const": "bench", "title": "Benchmarks"},
                        ]}},
                    },
                    "required": ["name", "language"],
                },
            }),
            Self::Visit => json!({
                "sessionId": session_id,
                "mode": "url",
                "message": "This address is an example: nothing waits for you there.",
                "url": "https://example.org/demo-agent",
                "elicitationId": "demo-visit",
            }),
        }
    }
}

/// Returns the steps that follow a change of mode.
pub(super) fn steps_in_mode(mode: Mode) -> VecDeque<Step> {
    let mut script = Script::default();
    script.say(match mode {
        Mode::Ask => "Mode *ask*: I ask before I edit or run anything.\n\n",
        Mode::Auto => "Mode *auto*: I edit and run without asking.\n\n",
    });
    script.steps
}

/// Returns the steps that follow a change of model.
pub(super) fn steps_with_model(model: Model) -> VecDeque<Step> {
    let mut script = Script::default();
    script.say(&format!("From now on I pretend to be *{}*.\n\n", model.id()));
    script.steps
}

#[derive(Default)]
struct Script {
    steps: VecDeque<Step>,
}

impl Script {
    fn word(&mut self, word: Word, language: Language, session: &mut Session) {
        match word {
            Word::Help => self.say(&prose::help(language)),
            Word::Markdown => self.say(prose::MARKDOWN),
            Word::Think => self.think(),
            Word::Plan { goal } => self.plan(goal.as_deref()),
            Word::Read { path } => {
                let file = session.file(path.as_deref().unwrap_or(prose::DEFAULT_PATH));
                self.say(&format!("Let me read `{}`.\n\n", file.name));
                let tool_call = ToolCall {
                    id: session.next_tool_call_id(),
                    action: Action::Read { file },
                };
                self.update(tool_call.announcement());
                self.work(&tool_call);
                self.say("I made its content up: no file was read.\n\n");
            }
            Word::Edit { path } => {
                let file = session.file(path.as_deref().unwrap_or(prose::DEFAULT_PATH));
                self.say(&format!("I would like to change `{}`.\n\n", file.name));
                self.ask(session, Action::Edit { file });
            }
            Word::Run { output_lines } => {
                self.say(&format!("I would like to run `{}`.\n\n", prose::RUN_COMMAND));
                self.ask(session, Action::Run { output_lines });
            }
            Word::Image { edge } => {
                self.say(prose::IMAGE);
                let image =
                    json!({"type": "image", "mimeType": "image/png", "data": picture::png_base64(edge)});
                self.update(json!({"sessionUpdate": "agent_message_chunk", "content": image}));
            }
            Word::Ask => self.ask(session, Action::Nothing),
            Word::Form => self.steps.push_back(Step::Elicit(Question::Form)),
            Word::Visit => self.steps.push_back(Step::Elicit(Question::Visit)),
            // Without a login the prompt is not taken at all.
            Word::Login => self.say("You are logged in.\n\n"),
            Word::Mode { mode } => self.steps.push_back(Step::SetMode(mode)),
            Word::Model { model } => self.steps.push_back(Step::SetModel(model)),
            Word::Title { title } => {
                let title = title.unwrap_or_else(|| "A tour of the demo agent".to_owned());
                self.steps.push_back(Step::SetTitle(title.clone()));
                self.say(&format!("This conversation is now called *{title}*.\n\n"));
            }
            Word::Usage => {
                self.steps.push_back(Step::ReportUsage);
                self.say("I have reported my usage. The figures are invented, like everything here.\n\n");
            }
            Word::Slow { chunks } => self.count(CounterKind::SlowChunks, chunks),
            // In one chunk, on purpose.
            Word::Long { paragraphs } => self.steps.push_back(Step::Say(prose::paragraphs(paragraphs))),
            Word::Chunks { chunks } => self.count(CounterKind::TinyChunks, chunks),
            Word::Wait => {
                self.steps.push_back(Step::Say(prose::WAIT.to_owned()));
                self.steps.push_back(Step::WaitForCancel);
            }
            Word::Silent => self.steps.push_back(Step::WaitForCancel),
            Word::Stderr { lines } => {
                self.count(CounterKind::StderrLines, lines);
                self.say(&format!("Lines written to stderr: {lines}.\n\n"));
            }
            Word::Max => {
                self.say(prose::MAX);
                self.steps.push_back(Step::End(End::MaxTokens));
            }
            Word::Refuse => {
                self.say(prose::REFUSE);
                self.steps.push_back(Step::End(End::Refusal));
            }
            Word::Fail => self.steps.push_back(Step::End(End::Error)),
            Word::Crash => {
                self.say(prose::CRASH);
                self.steps.push_back(Step::Crash);
            }
        }
    }

    fn say(&mut self, text: &str) {
        for chunk in prose::chunks(text) {
            self.steps.push_back(Step::Say(chunk));
            self.pause(1);
        }
    }

    fn think(&mut self) {
        for chunk in prose::chunks(prose::THOUGHT) {
            let content = json!({"type": "text", "text": chunk});
            self.update(json!({"sessionUpdate": "agent_thought_chunk", "content": content}));
            self.pause(1);
        }
    }

    /// Shows the plan with nothing done, then each step begun and done.
    fn plan(&mut self, goal: Option<&str>) {
        self.say(&prose::plan(goal));
        let steps = prose::PLAN_STEPS.len();
        self.update(plan_update(0, steps));
        for step in 0..steps {
            self.pause(WORK_BEATS);
            self.update(plan_update(step, step));
            self.pause(WORK_BEATS);
            self.update(plan_update(step + 1, steps));
        }
    }

    fn ask(&mut self, session: &mut Session, action: Action) {
        let tool_call = ToolCall {
            id: session.next_tool_call_id(),
            action,
        };
        self.update(tool_call.announcement());
        self.steps.push_back(Step::Ask(tool_call));
    }

    /// Shows a call at work and done.
    fn work(&mut self, tool_call: &ToolCall) {
        self.update(tool_call.started());
        self.pause(WORK_BEATS);
        if let Some(output) = tool_call.first_output() {
            self.update(output);
            self.pause(WORK_BEATS);
        }
        self.update(tool_call.completed());
    }

    fn count(&mut self, kind: CounterKind, last: u32) {
        self.steps.push_back(Step::Count(Counter { kind, next: 1, last }));
    }

    fn update(&mut self, update: Value) {
        self.steps.push_back(Step::Update(update));
    }

    fn pause(&mut self, beats: u32) {
        self.steps.push_back(Step::Pause(Pause::Beats(beats)));
    }
}

impl Counter {
    /// Returns the text of the next thing, without a line break for stderr.
    pub(super) fn text(&self) -> String {
        let Self { kind, next, last } = self;
        match kind {
            CounterKind::TinyChunks => format!("{next} "),
            CounterKind::SlowChunks => format!("Chunk {next} of {last}. "),
            CounterKind::StderrLines => format!("demo agent: line {next} of {last} on stderr"),
        }
    }

    /// Returns how long to pause after each thing.
    pub(super) fn pause(&self) -> Pause {
        match self.kind {
            CounterKind::TinyChunks | CounterKind::StderrLines => Pause::Fixed(Duration::ZERO),
            CounterKind::SlowChunks => Pause::Fixed(SLOW_CHUNK),
        }
    }
}

impl End {
    /// Returns ACP's stop reason; an error has none.
    pub(super) fn stop_reason(self) -> Option<&'static str> {
        match self {
            Self::Complete => Some("end_turn"),
            Self::MaxTokens => Some("max_tokens"),
            Self::Refusal => Some("refusal"),
            Self::Cancelled => Some("cancelled"),
            Self::Error => None,
        }
    }
}

/// Returns the plan with its first `done` steps completed and the step at `current` in progress.
fn plan_update(done: usize, current: usize) -> Value {
    let entries: Vec<Value> = prose::PLAN_STEPS
        .iter()
        .enumerate()
        .map(|(index, (content, priority))| {
            let status = if index < done {
                "completed"
            } else if index == current {
                "in_progress"
            } else {
                "pending"
            };
            json!({"content": content, "priority": priority, "status": status})
        })
        .collect();
    json!({"sessionUpdate": "plan", "entries": entries})
}
