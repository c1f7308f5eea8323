//! Everything the demo agent says, in English and, for greetings and help, in French.

use std::fmt::Write as _;

use super::word::{Group, Language, VOCABULARY};

/// How much of a message is quoted back, in characters.
const MAX_QUOTED_CHARS: usize = 400;

/// The least number of characters of a streamed chunk.
const CHUNK_CHARS: usize = 10;

/// The longest title taken from a message, in characters.
const MAX_TITLE_CHARS: usize = 60;

pub(super) const TERMINAL_NOTE: &str = "\
This is the demo agent. It speaks the Agent Client Protocol on stdin and stdout, so it is meant for programs.
To talk to it, use: pupitre ask demo hello
Ctrl-D ends it.";

pub(super) const THOUGHT: &str = "\
Someone wants to see how reasoning looks. I have no model to reason with, so I recite: first understand what is \
asked, then choose the shortest way, then say what was done and what was not.\n";

pub(super) const MARKDOWN: &str = r#"## A formatted answer

Text can be **bold**, *italic*, ~~struck~~ or `code`, and [link somewhere](https://agentclientprotocol.com).

### Lists

- a point
- another one
  - with a detail
- [x] a task that is done
- [ ] a task that is not

1. first
2. second

### A table

| instrument | players | part |
|---|--:|---|
| violin | 16 | melody |
| cello | 8 | bass |
| timpani | 1 | thunder |

### Code

```rust
fn main() {
    println!("Hello from the demo agent");
}
```

> A quotation, to finish.

"#;

pub(super) const FILE_BEFORE: &str = "pub fn greeting() -> &'static str {\n    \"Hello\"\n}\n";
pub(super) const FILE_AFTER: &str = "pub fn greeting() -> &'static str {\n    \"Hello, world\"\n}\n";
pub(super) const DEFAULT_PATH: &str = "src/greeting.rs";

pub(super) const RUN_COMMAND: &str = "cargo test";
pub(super) const RUN_OUTPUT_BEGINNING: &str = "running 2 tests\ntest greets_the_world ... ok\n";
pub(super) const RUN_OUTPUT_END: &str = "test greets_nobody_twice ... ok\n\ntest result: ok. 2 passed; 0 failed\n(made up by the demo agent: nothing was run)\n";

pub(super) const PLAN_STEPS: [(&str, &str); 3] = [
    ("Read the score", "high"),
    ("Tune the instruments", "medium"),
    ("Play", "low"),
];

pub(super) const IMAGE: &str = "A picture, made on the spot:\n\n";
pub(super) const WAIT: &str = "I am waiting until you cancel. ";
pub(super) const REFUSE: &str = "I would rather not. (You asked me to refuse.)\n";
pub(super) const MAX: &str = "I have a great deal to say about this, but my tokens are running ou";
pub(super) const CRASH: &str = "I am about to crash, in the middle of a sen";
pub(super) const FAIL: &str = "the demo agent was asked to fail, and it did";

pub(super) fn hello(language: Language) -> &'static str {
    match language {
        Language::English => {
            "Hello! I am the **demo agent**, a small script that comes with Pupitre. There is no model behind me, no \
             account and no network, and I touch none of your files: I only show what an agent can show.\n\n\
             Say one of these:\n\n\
             - `think plan edit` for reasoning, a plan, and a change that asks you first\n\
             - `markdown` for a formatted answer\n\
             - `help` for every word I know\n"
        }
        Language::French => {
            "Bonjour\u{a0}! Je suis l’**agent de démonstration**, un petit script livré avec Pupitre. Derrière moi, ni \
             modèle, ni compte, ni réseau, et je ne touche à aucun de vos fichiers\u{a0}: je montre seulement ce \
             qu’un agent peut montrer.\n\n\
             Dites par exemple\u{a0}:\n\n\
             - `think plan edit` pour un raisonnement, un plan, puis une modification soumise à votre accord\n\
             - `markdown` pour une réponse mise en forme\n\
             - `aide` pour tous les mots que je connais\n"
        }
    }
}

pub(super) fn help(language: Language) -> String {
    let mut text = String::from(match language {
        Language::English => {
            "I am a script, and words drive me. Put several in one message, as in `think plan edit`.\n\n"
        }
        Language::French => {
            "Je suis un script, et des mots me conduisent. Mettez-en plusieurs dans un message, par exemple \
             `think plan edit`.\n\n"
        }
    });
    for group in [Group::Show, Group::Settings, Group::Trouble] {
        let heading = match (group, language) {
            (Group::Show, Language::English) => "### To look at",
            (Group::Show, Language::French) => "### À regarder",
            (Group::Settings, Language::English) => "### Permission and settings",
            (Group::Settings, Language::French) => "### Accord et réglages",
            (Group::Trouble, Language::English) => "### To try a client's patience",
            (Group::Trouble, Language::French) => "### Pour éprouver un client",
        };
        text.push_str(heading);
        text.push_str("\n\n");
        for entry in VOCABULARY.iter().filter(|entry| entry.group == group) {
            let (meaning, hint, colon) = match language {
                Language::English => (entry.english, entry.hint.map(|hint| hint.english), ":"),
                Language::French => (entry.french, entry.hint.map(|hint| hint.french), "\u{a0}:"),
            };
            let argument = hint.map(|hint| format!(" *{hint}*")).unwrap_or_default();
            writeln!(text, "- `{}`{argument}{colon} {meaning}", entry.name)
                .expect("writing to a string cannot fail");
        }
        text.push('\n');
    }
    text.push_str(match language {
        Language::English => {
            "What stands in italics is optional. The first two groups are slash commands as well: `/plan a concert`. \
             Anything else you write, I repeat.\n"
        }
        Language::French => {
            "Ce qui est en italique est facultatif. Les deux premiers groupes sont aussi des commandes\u{a0}: `/plan \
             un concert`. Tout le reste, je le répète.\n"
        }
    });
    text
}

/// Returns the answer to a message without any known word.
pub(super) fn echo(text: &str, attachments: &[String], prompt_number: u64) -> String {
    let mut answer = String::new();
    if !text.trim().is_empty() {
        answer.push_str("You wrote:\n\n");
        for line in shortened(text.trim(), MAX_QUOTED_CHARS).lines() {
            answer.push_str(format!("> {line}").trim_end());
            answer.push('\n');
        }
        answer.push('\n');
    }
    answer.push_str(&received(attachments));
    answer.push_str(if prompt_number == 1 {
        "I am the **demo agent**, a script without a model, so that is all I can make of it. Say `help` for the words I \
         know, or try `think plan edit`.\n"
    } else {
        "Say `help` for the words I know.\n"
    });
    answer
}

/// Returns a list of what came with a message, or nothing.
pub(super) fn received(attachments: &[String]) -> String {
    if attachments.is_empty() {
        return String::new();
    }
    let mut text = String::from("With your message came:\n\n");
    for attachment in attachments {
        text.push_str("- ");
        text.push_str(attachment);
        text.push('\n');
    }
    text.push('\n');
    text
}

pub(super) fn unknown_command(name: &str) -> String {
    format!("I have no command `/{name}`. Say `/help` for those I have.\n")
}

pub(super) fn plan(goal: Option<&str>) -> String {
    match goal {
        Some(goal) => format!("A plan for *{goal}*. It is always the same plan.\n\n"),
        None => "A plan, step by step.\n\n".to_owned(),
    }
}

pub(super) fn paragraphs(count: u32) -> String {
    let mut text = String::new();
    for number in 1..=count {
        write!(
            text,
            "Paragraph {number} of {count}. The strings begin, the winds answer, and somebody in the third row turns a \
             page too early. The conductor sees it and says nothing, because the music goes on, and because it \
             would not be the first time.\n\n"
        )
        .expect("writing to a string cannot fail");
    }
    text
}

/// Returns a title made of a message.
pub(super) fn title_of(message: &str) -> String {
    let line = message.trim().lines().next().unwrap_or_default();
    if line.is_empty() {
        "Demo".to_owned()
    } else {
        shortened(line, MAX_TITLE_CHARS)
    }
}

/// Cuts a text into the chunks in which it is streamed: whole words, together the same text.
pub(super) fn chunks(text: &str) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    for word in text.split_inclusive(char::is_whitespace) {
        match chunks.last_mut() {
            Some(last) if last.chars().count() < CHUNK_CHARS => last.push_str(word),
            _ => chunks.push(word.to_owned()),
        }
    }
    chunks
}

fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}
