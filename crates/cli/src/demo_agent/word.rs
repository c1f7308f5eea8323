//! The words that drive the demo agent, and how a prompt is read as a list of them.
//!
//! Words that stand at the beginning, one after another, all count. Later in a sentence only those that show
//! something count, so that "why did it crash?" does not crash the agent. A slash command is one word and
//! its argument.

use serde_json::{Value, json};

use super::session::{Mode, Model};

/// A word as it was said, with its argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Help,
    Markdown,
    Think,
    Plan { goal: Option<String> },
    Read { path: Option<String> },
    Edit { path: Option<String> },
    Run { output_lines: Option<u32> },
    Image { edge: u32 },
    Ask,
    Form,
    Visit,
    Login,
    Mode { mode: Option<Mode> },
    Model { model: Option<Model> },
    Title { title: Option<String> },
    Usage,
    Slow { chunks: u32 },
    Long { paragraphs: u32 },
    Chunks { chunks: u32 },
    Wait,
    Silent,
    Stderr { lines: u32 },
    Max,
    Refuse,
    Fail,
    Crash,
}

/// What a word is for, which also says where in a message it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Shows a part of a conversation; counts anywhere.
    Show,
    /// Asks or changes a setting; counts at the beginning.
    Settings,
    /// Floods, waits or breaks, for tests; counts at the beginning, and is no slash command of the menu.
    Trouble,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// What may follow the word.
    pub(super) hint: Option<Hint>,
    pub(super) english: &'static str,
    pub(super) french: &'static str,
}

/// What may follow a word, in both languages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hint {
    pub(super) english: &'static str,
    pub(super) french: &'static str,
}

const fn hint(english: &'static str, french: &'static str) -> Option<Hint> {
    Some(Hint { english, french })
}

const fn entry(
    name: &'static str,
    group: Group,
    hint: Option<Hint>,
    english: &'static str,
    french: &'static str,
) -> Entry {
    Entry {
        name,
        group,
        hint,
        english,
        french,
    }
}

/// Every word, in the order of the help.
pub(super) const VOCABULARY: [Entry; 26] = {
    use Group::{Settings, Show, Trouble};
    [
        entry("help", Show, None, "this list", "cette liste"),
        entry(
            "markdown",
            Show,
            None,
            "a formatted answer",
            "une réponse mise en forme",
        ),
        entry("think", Show, None, "reasoning first", "un raisonnement d’abord"),
        entry(
            "plan",
            Show,
            hint("goal", "but"),
            "a plan whose steps get done",
            "un plan dont les étapes se font",
        ),
        entry(
            "read",
            Show,
            hint("path", "chemin"),
            "a tool call that reads a file",
            "un outil qui lit un fichier",
        ),
        entry(
            "edit",
            Show,
            hint("path", "chemin"),
            "a change to a file, with your permission",
            "une modification, avec votre accord",
        ),
        entry(
            "run",
            Show,
            hint("lines", "lignes"),
            "a command and its output, with your permission",
            "une commande et sa sortie, avec votre accord",
        ),
        entry(
            "image",
            Show,
            hint("pixels", "pixels"),
            "a small picture",
            "une petite image",
        ),
        entry(
            "ask",
            Settings,
            None,
            "a permission request and nothing else",
            "une demande d’accord, rien de plus",
        ),
        entry(
            "form",
            Settings,
            None,
            "a form for you to fill in",
            "un formulaire à remplir",
        ),
        entry(
            "visit",
            Settings,
            None,
            "an address for you to visit",
            "une adresse à visiter",
        ),
        entry(
            "login",
            Settings,
            None,
            "wants you to log in first",
            "veut que vous vous identifiiez d’abord",
        ),
        entry(
            "mode",
            Settings,
            hint("ask or auto", "ask ou auto"),
            "changes the mode: in `auto` I never ask",
            "change de mode\u{a0}: en `auto`, je ne demande rien",
        ),
        entry(
            "model",
            Settings,
            hint("small or large", "small ou large"),
            "changes the model",
            "change de modèle",
        ),
        entry(
            "title",
            Settings,
            hint("title", "titre"),
            "gives the conversation a title",
            "donne un titre à la conversation",
        ),
        entry(
            "usage",
            Settings,
            None,
            "reports tokens and cost (invented)",
            "annonce jetons et coût (inventés)",
        ),
        entry(
            "slow",
            Trouble,
            hint("chunks", "morceaux"),
            "an answer that takes its time, five chunks a second",
            "une réponse lente, cinq morceaux par seconde",
        ),
        entry(
            "long",
            Trouble,
            hint("paragraphs", "paragraphes"),
            "many paragraphs at once",
            "beaucoup de paragraphes d’un coup",
        ),
        entry(
            "chunks",
            Trouble,
            hint("chunks", "morceaux"),
            "tiny chunks as fast as possible",
            "de petits morceaux, au plus vite",
        ),
        entry(
            "wait",
            Trouble,
            None,
            "a first chunk, then waits until you cancel",
            "un premier morceau, puis attend l’arrêt",
        ),
        entry(
            "silent",
            Trouble,
            None,
            "says nothing until you cancel",
            "ne dit rien jusqu’à l’arrêt",
        ),
        entry(
            "stderr",
            Trouble,
            hint("lines", "lignes"),
            "lines on stderr",
            "des lignes sur stderr",
        ),
        entry(
            "max",
            Trouble,
            None,
            "ends for want of tokens (`max_tokens`)",
            "s’arrête faute de jetons (`max_tokens`)",
        ),
        entry(
            "refuse",
            Trouble,
            None,
            "refuses (`refusal`)",
            "refuse (`refusal`)",
        ),
        entry(
            "fail",
            Trouble,
            None,
            "answers with an error",
            "répond par une erreur",
        ),
        entry(
            "crash",
            Trouble,
            None,
            "exits with code 3 in mid-answer",
            "s’arrête net, code 3, en pleine réponse",
        ),
    ]
};

const MAX_WORDS: usize = 50;
const MAX_OUTPUT_LINES: u32 = 500_000;
const MAX_IMAGE_EDGE: u32 = 4_096;
const MAX_SLOW_CHUNKS: u32 = 100_000;
const MAX_PARAGRAPHS: u32 = 100_000;
const MAX_CHUNKS: u32 = 100_000_000;
const MAX_STDERR_LINES: u32 = 1_000_000;

const GREETINGS: [&str; 6] = ["hello", "hi", "hey", "bonjour", "salut", "bonsoir"];
const FRENCH: [&str; 4] = ["bonjour", "salut", "bonsoir", "aide"];
/// Words that may stand between others without ending the list.
const FILLERS: [&str; 7] = ["please", "then", "and", "now", "demo", "puis", "et"];

/// The longest message that is a mere greeting, in words.
const MAX_GREETING_WORDS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    French,
}

/// What a prompt asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Words(Vec<Word>),
    Greeting,
    UnknownCommand { name: String },
    Anything,
}

/// Returns what the text of a prompt asks for.
pub(super) fn read_wish(text: &str) -> Wish {
    let text = text.trim();
    if let Some(command) = text.strip_prefix('/') {
        let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        return match command_word(&name.to_lowercase(), argument.trim()) {
            Some(word) => Wish::Words(vec![word]),
            None => Wish::UnknownCommand {
                name: name.to_owned(),
            },
        };
    }
    let words = words_of(text);
    let mut tokens = tokens_of(text);
    let greets = tokens.clone().count() <= MAX_GREETING_WORDS
        && tokens
            .next()
            .is_some_and(|token| GREETINGS.contains(&token.to_lowercase().as_str()));
    if !words.is_empty() {
        Wish::Words(words)
    } else if greets {
        Wish::Greeting
    } else {
        Wish::Anything
    }
}

/// Says whether the text of a prompt has the word `login`.
pub(super) fn wants_login(text: &str) -> bool {
    matches!(read_wish(text), Wish::Words(words) if words.contains(&Word::Login))
}

/// Returns the language in which a greeting or a call for help was said.
pub(super) fn language_of(text: &str) -> Language {
    if tokens_of(text).any(|token| FRENCH.contains(&token.to_lowercase().as_str())) {
        Language::French
    } else {
        Language::English
    }
}

/// Returns the slash commands to announce, as ACP's `availableCommands`.
pub(super) fn available_commands() -> Value {
    VOCABULARY
        .iter()
        .filter(|entry| entry.group != Group::Trouble)
        .map(|entry| {
            let mut command = json!({"name": entry.name, "description": capitalized(entry.english)});
            if let Some(hint) = entry.hint {
                command["input"] = json!({"hint": hint.english});
            }
            command
        })
        .collect()
}

/// Where in a message a token stands: in the list of words that begins it, or after the first other word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    List,
    Sentence,
}

fn words_of(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut place = Place::List;
    let mut tokens = tokens_of(text).peekable();
    while let Some(token) = tokens.next() {
        if words.len() == MAX_WORDS {
            break;
        }
        let token = token.to_lowercase();
        if FILLERS.contains(&token.as_str()) || GREETINGS.contains(&token.as_str()) {
            continue;
        }
        let Some(entry) = find(&token) else {
            place = Place::Sentence;
            continue;
        };
        match place {
            Place::List => {
                let argument = tokens
                    .next_if(|next| is_argument(entry, next))
                    .unwrap_or_default();
                words.extend(word(entry.name, argument));
            }
            Place::Sentence => {
                let word = word(entry.name, "").filter(|word| !words.contains(word));
                words.extend(word.filter(|_| entry.group == Group::Show));
            }
        }
    }
    words
}

/// Returns the words of a text without the punctuation around them.
fn tokens_of(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split_whitespace()
        .map(|token| {
            token
                .trim_start_matches(|letter: char| {
                    !letter.is_alphanumeric() && letter != '/' && letter != '.'
                })
                .trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '/')
        })
        .filter(|token| !token.is_empty())
}

fn find(name: &str) -> Option<&'static Entry> {
    let name = if name == "aide" { "help" } else { name };
    VOCABULARY.iter().find(|entry| entry.name == name)
}

/// Tells whether a token after a word is the word's argument, and not the next word.
fn is_argument(entry: &Entry, token: &str) -> bool {
    match entry.name {
        "read" | "edit" => token.contains(['/', '.', '\\']),
        "mode" => Mode::from_id(&token.to_lowercase()).is_some(),
        "model" => read_model(token).is_some(),
        "run" | "image" | "slow" | "long" | "chunks" | "stderr" => token.parse::<u32>().is_ok(),
        _ => false,
    }
}

fn command_word(name: &str, argument: &str) -> Option<Word> {
    find(name).and_then(|entry| word(entry.name, argument))
}

/// Returns a word of the vocabulary with its argument, which may be empty; numbers are limited.
fn word(name: &str, argument: &str) -> Option<Word> {
    let text = || Some(argument.to_owned()).filter(|argument| !argument.is_empty());
    let number = |default: u32, max: u32| argument.parse().unwrap_or(default).min(max);
    Some(match name {
        "help" => Word::Help,
        "markdown" => Word::Markdown,
        "think" => Word::Think,
        "plan" => Word::Plan { goal: text() },
        "read" => Word::Read { path: text() },
        "edit" => Word::Edit { path: text() },
        "run" => Word::Run {
            output_lines: argument
                .parse()
                .ok()
                .map(|lines: u32| lines.min(MAX_OUTPUT_LINES)),
        },
        "image" => Word::Image {
            edge: number(96, MAX_IMAGE_EDGE).max(1),
        },
        "ask" => Word::Ask,
        "form" => Word::Form,
        "visit" => Word::Visit,
        "login" => Word::Login,
        "mode" => Word::Mode {
            mode: Mode::from_id(&argument.to_lowercase()),
        },
        "model" => Word::Model {
            model: read_model(argument),
        },
        "title" => Word::Title { title: text() },
        "usage" => Word::Usage,
        "slow" => Word::Slow {
            chunks: number(20, MAX_SLOW_CHUNKS),
        },
        "long" => Word::Long {
            paragraphs: number(12, MAX_PARAGRAPHS),
        },
        "chunks" => Word::Chunks {
            chunks: number(1_000, MAX_CHUNKS),
        },
        "wait" => Word::Wait,
        "silent" => Word::Silent,
        "stderr" => Word::Stderr {
            lines: number(3, MAX_STDERR_LINES),
        },
        "max" => Word::Max,
        "refuse" => Word::Refuse,
        "fail" => Word::Fail,
        "crash" => Word::Crash,
        _ => return None,
    })
}

fn read_model(token: &str) -> Option<Model> {
    let token = token.to_lowercase();
    Model::from_id(&token).or_else(|| Model::from_id(&format!("demo-{token}")))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
