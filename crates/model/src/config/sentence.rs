//! What is wrong with a file, in English: the one place where a problem's sentence is made, from its cause.

use pupitre_protocol::configuration::{ProblemCause, ProblemSubject, ProblemTable, ValueType};

use super::cover::Cover;
use super::quote::{clipped, quoted};

/// Returns the sentence of a problem or warning.
pub fn sentence(cause: &ProblemCause) -> String {
    use ProblemCause as C;
    match cause {
        C::FileGone => "the file is not there any more".to_owned(),
        C::FileUnreadable { error } => format!("the file cannot be read: {error}"),
        C::FileTooLarge { bytes, most } => format!("the file has {bytes} bytes; {most} are the most"),
        C::NotUtf8 => "what follows is no UTF-8".to_owned(),
        C::NotToml { said } => said.clone(),
        C::DuplicateKey => "duplicate key".to_owned(),
        C::BadKey => "invalid unquoted key, expected letters, numbers, `-`, `_`".to_owned(),
        C::MoreBehindValue => "unexpected key or value, expected newline, `#`".to_owned(),
        C::KeyWithoutValue => "key with no value, expected `=`".to_owned(),
        C::MissingValue => "the value is missing".to_owned(),
        C::UnquotedText => "string values must be quoted".to_owned(),
        C::SwitchSpelling => "true and false are written in small letters, without quotes".to_owned(),
        C::QuoteMissing { quote } => match quote.as_str() {
            "'" => "invalid literal string, expected `'`".to_owned(),
            quote => format!("invalid basic string, expected `{quote}`"),
        },
        C::HeaderNotClosed { bracket } => match bracket.as_str() {
            "]]" => "unclosed array table, expected `]]`".to_owned(),
            bracket => format!("unclosed table, expected `{bracket}`"),
        },
        C::ArrayNotClosed => "this array is not closed: its \"]\" is missing".to_owned(),
        C::TableNotClosed => "this table is not closed: its \"}\" is missing".to_owned(),
        C::TextNotClosed => "this text is not closed: its three quotes at the end are missing".to_owned(),
        C::RestUncertain => {
            "until this can be read, more may be wrong in the file than is told here".to_owned()
        }
        C::MoreProblems { count } => format!("there are {count} more problems from here on"),
        C::MoreWarnings { count } => format!("there are {count} more warnings from here on"),
        C::UnknownKey {
            key,
            table,
            suggestion,
            known,
        } => match suggestion {
            Some(meant) => format!("unknown key {}; did you mean \"{meant}\"?", quoted(key)),
            None => format!(
                "unknown key {} in {}; there are: {}",
                quoted(key),
                table_name(*table),
                known.join(", ")
            ),
        },
        C::SignInKey { table, sign } => {
            format!(
                "unknown key in {}: it has a \"{sign}\" between its quotes",
                table_name(*table)
            )
        }
        C::KeyOfFile { key, table } => format!(
            "unknown key {} in {}: it is a key of the whole file; write it above the first table, such as [[agents]]",
            quoted(key),
            table_name(*table)
        ),
        C::KeyOfTable { key, table, header } => format!(
            "unknown key {} in {}: it belongs below {header}",
            quoted(key),
            table_name(*table)
        ),
        C::KeyOfEnv { key, table } => format!(
            "unknown key {} in {}: variables stand in \"env\"",
            quoted(key),
            table_name(*table)
        ),
        C::BadVariable => {
            "a variable has a name without \"=\" and NUL characters; write NAME = \"value\"".to_owned()
        }
        C::MissingKey { key, table, name } => match name {
            Some(name) => format!("{} has no \"{key}\": {}", table_name(*table), quoted(name)),
            None => format!("{} has no \"{key}\"", table_name(*table)),
        },
        C::WrongType {
            subject,
            wanted,
            found,
            header,
        } => {
            let (subject, wanted) = (subject_name(subject), wanted_type(*wanted));
            let write = header.as_ref().map(|header| format!("; write {header}"));
            format!(
                "{subject} must be {wanted}, not {}{}",
                found_type(*found),
                write.unwrap_or_default()
            )
        }
        C::OutOfRange { subject, least, most } => {
            format!("{} must be {least} to {most}", subject_name(subject))
        }
        C::UnknownValue {
            subject,
            value,
            suggestion,
            known,
        } => meant_or_known(
            format!("{} cannot be {}", subject_name(subject), quoted(value)),
            suggestion.as_deref(),
            known,
        ),
        C::UnknownPreset {
            preset,
            suggestion,
            known,
        } => meant_or_known(
            format!("unknown preset {}", quoted(preset)),
            suggestion.as_deref(),
            known,
        ),
        C::BadDuration => "\"stopIdleAgentsAfter\" must be \"30s\" to \"24h\", or \"never\"".to_owned(),
        C::BadName => {
            "a name has a-z, 0-9, \"-\" and \"_\", at most 32 of them, and not only digits".to_owned()
        }
        C::Empty { subject } => format!("{} must not be empty", subject_name(subject)),
        C::NoAgents { table } => format!("{} needs at least one agent", table_name(*table)),
        C::TooManyEntries { subject, most } => {
            format!("{} has more than {most} entries", subject_name(subject))
        }
        C::AgainstSchema { subject, keyword } => {
            format!(
                "{} does not obey \"{keyword}\" of the schema",
                subject_name(subject)
            )
        }
        C::NulCharacter => "a NUL character cannot stand in a text here".to_owned(),
        C::DuplicateName { table, name } => {
            format!("there are two {} named {}", plural(*table), quoted(name))
        }
        C::AgentTwice { table, name, agent } => {
            format!("{} names {} twice", named(*table, name.as_deref()), quoted(agent))
        }
        C::UnknownAgent {
            table,
            name,
            agent,
            suggestion,
        } => {
            let unknown = format!(
                "{} names the unknown agent {}",
                named(*table, name.as_deref()),
                quoted(agent)
            );
            match suggestion {
                Some(meant) => format!("{unknown}; did you mean \"{meant}\"?"),
                None => unknown,
            }
        }
        C::NothingToRun { name } => format!(
            "{} has neither \"command\" nor \"preset\"",
            named(ProblemTable::Agent, name.as_deref())
        ),
        C::CommandNotFound { command } => format!("the command {} is not found on PATH", quoted(command)),
        C::NotExecutable { command } => format!("{} is no program that can be run", quoted(command)),
        C::FolderMissing { folder } => format!("the working directory {} does not exist", quoted(folder)),
        C::ImageMissing { image } => format!("the image {} does not exist", quoted(image)),
        C::UnknownIcon {
            icon,
            suggestion,
            known,
        } => meant_or_known(
            format!("there is no built-in icon {}", quoted(icon)),
            suggestion.as_deref(),
            known,
        ),
        C::VariableNotSet { variable } => format!("the environment variable {variable} is not set"),
        C::VariableNotHandedOn { variable } => format!(
            "the environment variable {variable} is set, but not handed on: its value is no UTF-8, or it is one of \
             Pupitre's own"
        ),
        C::FreeAccess => "agents may type into every terminal, other agents' included".to_owned(),
        C::OthersMayWrite { command } => format!(
            "other users may write this file, and so run what they like as you; `{command}` takes that away"
        ),
        C::CountsLater { key } => {
            format!("\"{key}\" counts from the next start of the daemon; `pupitre stop` ends this one")
        }
    }
}

/// Has a cause hold no more of the file than may be shown: its long words end early, and what is covered is stars.
pub(super) fn make_presentable(cause: &mut ProblemCause, cover: &Cover) {
    let hide = |word: &mut String| *word = cover.hide(word);
    if let ProblemCause::NotToml { said } = cause {
        return hide(said);
    }
    for word in words_of(cause) {
        hide(word);
        *word = clipped(word);
    }
}

/// Returns the words in a cause that come from the file.
fn words_of(cause: &mut ProblemCause) -> Vec<&mut String> {
    use ProblemCause as C;
    match cause {
        C::FileGone
        | C::FileUnreadable { .. }
        | C::FileTooLarge { .. }
        | C::NotUtf8
        | C::NotToml { .. }
        | C::DuplicateKey
        | C::BadKey
        | C::MoreBehindValue
        | C::KeyWithoutValue
        | C::MissingValue
        | C::UnquotedText
        | C::SwitchSpelling
        | C::QuoteMissing { .. }
        | C::HeaderNotClosed { .. }
        | C::ArrayNotClosed
        | C::TableNotClosed
        | C::TextNotClosed
        | C::RestUncertain
        | C::MoreProblems { .. }
        | C::MoreWarnings { .. }
        | C::SignInKey { .. }
        | C::BadVariable
        | C::BadDuration
        | C::BadName
        | C::NoAgents { .. }
        | C::NulCharacter
        | C::FreeAccess
        | C::OthersMayWrite { .. }
        | C::CountsLater { .. } => Vec::new(),
        C::UnknownKey { key, .. }
        | C::KeyOfFile { key, .. }
        | C::KeyOfTable { key, .. }
        | C::KeyOfEnv { key, .. } => vec![key],
        C::MissingKey { name, .. } | C::NothingToRun { name } => name.iter_mut().collect(),
        C::WrongType { subject, .. }
        | C::OutOfRange { subject, .. }
        | C::Empty { subject }
        | C::TooManyEntries { subject, .. }
        | C::AgainstSchema { subject, .. } => key_of(subject).collect(),
        C::UnknownValue { subject, value, .. } => key_of(subject).chain([value]).collect(),
        C::UnknownPreset { preset: word, .. }
        | C::DuplicateName { name: word, .. }
        | C::CommandNotFound { command: word }
        | C::NotExecutable { command: word }
        | C::FolderMissing { folder: word }
        | C::ImageMissing { image: word }
        | C::UnknownIcon { icon: word, .. }
        | C::VariableNotSet { variable: word }
        | C::VariableNotHandedOn { variable: word } => vec![word],
        C::AgentTwice { name, agent, .. } => name.iter_mut().chain([agent]).collect(),
        C::UnknownAgent {
            name,
            agent,
            suggestion,
            ..
        } => name.iter_mut().chain([agent]).chain(suggestion).collect(),
    }
}

fn key_of(subject: &mut ProblemSubject) -> impl Iterator<Item = &mut String> {
    match subject {
        ProblemSubject::Key { key } | ProblemSubject::Element { key } => Some(key),
        ProblemSubject::File | ProblemSubject::EnvValue => None,
    }
    .into_iter()
}

fn meant_or_known(sentence: String, meant: Option<&str>, known: &[String]) -> String {
    match meant {
        Some(meant) => format!("{sentence}; did you mean \"{meant}\"?"),
        None => format!("{sentence}; there are: {}", known.join(", ")),
    }
}

/// Returns what a table is, with its article.
const fn table_name(table: ProblemTable) -> &'static str {
    match table {
        ProblemTable::File => "the file",
        ProblemTable::Limits => "[limits]",
        ProblemTable::Agent => "an agent",
        ProblemTable::Channel => "a channel",
        ProblemTable::McpServer => "an MCP server",
    }
}

/// Returns which table it is, by its name where it has one.
fn named(table: ProblemTable, name: Option<&str>) -> String {
    let whose = match table {
        ProblemTable::File => "the file",
        ProblemTable::Limits => "[limits]",
        ProblemTable::Agent => "the agent",
        ProblemTable::Channel => "the channel",
        ProblemTable::McpServer => "the MCP server",
    };
    match name {
        Some(name) => format!("{whose} {}", quoted(name)),
        None => whose.to_owned(),
    }
}

const fn plural(table: ProblemTable) -> &'static str {
    match table {
        ProblemTable::File => "files",
        ProblemTable::Limits => "limits",
        ProblemTable::Agent => "agents",
        ProblemTable::Channel => "channels",
        ProblemTable::McpServer => "MCP servers",
    }
}

fn subject_name(subject: &ProblemSubject) -> String {
    match subject {
        ProblemSubject::File => "the file".to_owned(),
        ProblemSubject::Key { key } => format!("\"{key}\""),
        ProblemSubject::Element { key } => format!("an element of \"{key}\""),
        ProblemSubject::EnvValue => "a value of \"env\"".to_owned(),
    }
}

const fn wanted_type(wanted: ValueType) -> &'static str {
    match wanted {
        ValueType::Boolean => "true or false",
        ValueType::String
        | ValueType::Integer
        | ValueType::Float
        | ValueType::DateTime
        | ValueType::Array
        | ValueType::Table => found_type(wanted),
    }
}

const fn found_type(found: ValueType) -> &'static str {
    match found {
        ValueType::String => "a string",
        ValueType::Integer => "an integer",
        ValueType::Float => "a float",
        ValueType::Boolean => "a boolean",
        ValueType::DateTime => "a date or time",
        ValueType::Array => "an array",
        ValueType::Table => "a table",
    }
}
