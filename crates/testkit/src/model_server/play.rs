//! What a prompt tells the server to do: `{{verb argument}}`, stages divided by `{{next}}`.
//!
//! | words | what the model does |
//! | --- | --- |
//! | `{{say TEXT}}`, `{{think TEXT}}` | says it, or reasons it, word by word |
//! | `{{shell COMMAND}}`, `{{write PATH TEXT}}`, `{{read PATH}}`, `{{plan A, B}}` | calls the agent's tool for it |
//! | `{{call NAME JSON}}` | calls this tool with these arguments |
//! | `{{drip TEXT}}` | says it again and again, slowly, until the connection closes or the test releases it |
//! | `{{hold}}` | is silent until the connection closes or the test releases it |
//! | `{{big BYTES}}` | says so many letters in one piece |
//! | `{{status CODE}}`, `{{drop}}`, `{{garbage}}` | fails with a status, cuts the connection, sends what is no JSON |
//!
//! A stage is used once the tools of the stages before it have given their results; after the last stage the model
//! says that it is ready. A request that offers no tools (a title, a summary) gets a short text.

use super::conversation::{Conversation, Event};

/// One thing the model does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Say { text: String },
    Think { text: String },
    Use(Intent),
    Drip { text: String },
    Hold,
    Big { bytes: usize },
    Status { code: u16 },
    Drop,
    Garbage,
}

/// What a tool is to be called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    Shell { command: String },
    Write { path: String, text: String },
    Read { path: String },
    Plan { steps: Vec<String> },
    Named { name: String, arguments: String },
}

impl Act {
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Status { code } => Some(*code),
            Self::Say { .. } | Self::Think { .. } | Self::Use(_) | Self::Drip { .. } => None,
            Self::Hold | Self::Big { .. } | Self::Drop | Self::Garbage => None,
        }
    }
}

/// Whether a text holds words for this server.
pub(super) fn is_play(text: &str) -> bool {
    !stages(text).iter().all(Vec::is_empty)
}

/// Returns what the model does next in this conversation.
pub(super) fn acts(conversation: &Conversation) -> Vec<Act> {
    let say = |text: &str| {
        vec![Act::Say {
            text: text.to_owned(),
        }]
    };
    if conversation.tools.is_empty() {
        return say("A small task");
    }
    let play = conversation.events.iter().rev().find_map(|event| match event {
        Event::User(text) if is_play(text) => Some(text),
        Event::User(_) | Event::Result(_) => None,
    });
    let Some(play) = play else {
        return say("Good morning from the model.");
    };
    let mut results = conversation.results_since_play().len();
    for stage in stages(play) {
        let calls = stage.iter().filter(|act| matches!(act, Act::Use(_))).count();
        if calls == 0 || results < calls {
            return stage;
        }
        results -= calls;
    }
    say("All done.")
}

fn stages(text: &str) -> Vec<Vec<Act>> {
    let mut stages = vec![Vec::new()];
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let after = &rest[start + 2..];
        let Some(end) = after.find("}}") else { break };
        // `{{call NAME {"a":{}}}}` ends at the last brace of the run.
        let run = after[end..].bytes().take_while(|byte| *byte == b'}').count();
        let inner = &after[..end + run - 2];
        if inner.trim() == "next" {
            stages.push(Vec::new());
        } else if let Some(act) = act(inner) {
            stages.last_mut().expect("there is always a stage").push(act);
        }
        rest = &after[end + run..];
    }
    stages
}

fn act(inner: &str) -> Option<Act> {
    let (verb, argument) = inner.split_once(' ').unwrap_or((inner, ""));
    let text = argument.to_owned();
    Some(match verb {
        "say" => Act::Say { text },
        "think" => Act::Think { text },
        "drip" => Act::Drip {
            text: format!("{} ", text.trim_end()),
        },
        "hold" => Act::Hold,
        "big" => Act::Big {
            bytes: argument.parse().ok()?,
        },
        "status" => Act::Status {
            code: argument.parse().ok()?,
        },
        "drop" => Act::Drop,
        "garbage" => Act::Garbage,
        "shell" => Act::Use(Intent::Shell { command: text }),
        "read" => Act::Use(Intent::Read { path: text }),
        "write" => {
            let (path, text) = argument.split_once(' ')?;
            Act::Use(Intent::Write {
                path: path.to_owned(),
                text: text.to_owned(),
            })
        }
        "plan" => Act::Use(Intent::Plan {
            steps: argument.split(',').map(|step| step.trim().to_owned()).collect(),
        }),
        "call" => {
            let (name, arguments) = argument.split_once(' ').unwrap_or((argument, "{}"));
            Act::Use(Intent::Named {
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_the_results() {
        fn check(results: usize, expected: &[&str]) {
            let prompt = "Please: {{say One two}}{{shell ls; pwd}}{{next}}{{call f {\"a\":{\"b\":1}}}} {{next}}{{say End}}";
            let mut events = vec![Event::User(prompt.to_owned())];
            events.extend((0..results).map(|_| Event::Result("ok".to_owned())));
            let tools = vec![super::super::tools::Tool::default()];
            let acts = acts(&Conversation {
                events,
                tools,
                ..Conversation::default()
            });
            let shown: Vec<_> = acts.iter().map(|act| format!("{act:?}")).collect();
            assert_eq!(shown.len(), expected.len(), "{shown:?}");
            assert!(
                shown.iter().zip(expected).all(|(act, part)| act.contains(part)),
                "{shown:?}"
            );
        }
        check(0, &["One two", "ls; pwd"]);
        check(1, &[r#"{\"a\":{\"b\":1}}"#]);
        check(2, &["End"]);
    }

    #[test]
    fn other_braces_are_no_words_for_the_server() {
        assert!(!is_play("{{ name }} and {{unknown thing}} and {{"));
        assert!(is_play("see {{hold}}"));
    }
}
