//! What is wrong with a configuration file: where, in a sentence for people, and as a cause for programs with words of
//! their own. The sentences are made from the causes, by the model.

use serde::{Deserialize, Serialize};

/// Something that is wrong with a configuration file, or that its writer should know; and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Problem {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    pub message: String,
    /// The same for a program.
    #[serde(
        default,
        deserialize_with = "crate::cause::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub cause: Option<ProblemCause>,
    /// The file can be used all the same.
    pub warning: bool,
}

/// What is wrong, or worth knowing. Words of the file are in it as far as they are shown: long ones end early, and secrets
/// are stars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProblemCause {
    /// The file is not there any more.
    FileGone,
    /// The file cannot be read.
    FileUnreadable {
        /// In the words of the system.
        error: String,
    },
    /// The file has more bytes than it may have.
    FileTooLarge {
        #[cfg_attr(test, ts(type = "number"))]
        bytes: u64,
        #[cfg_attr(test, ts(type = "number"))]
        most: u64,
    },
    /// What follows is no UTF-8.
    NotUtf8,
    /// The text is no TOML.
    NotToml {
        /// In the words of the parser.
        said: String,
    },
    /// A key is given twice.
    DuplicateKey,
    /// The name of a key without quotes has other signs than letters, digits, `-` and `_`, or none.
    BadKey,
    /// Behind a value something follows that belongs on a line of its own.
    MoreBehindValue,
    /// Behind a key its `=` is missing.
    KeyWithoutValue,
    /// Behind the `=` the value is missing.
    MissingValue,
    /// A text has no quotes.
    UnquotedText,
    /// `true` or `false` with capitals or quotes.
    SwitchSpelling,
    /// A text of one line has no quote at its end.
    QuoteMissing { quote: String },
    /// The header of a table has no bracket at its end.
    HeaderNotClosed {
        /// `]` or `]]`.
        bracket: String,
    },
    /// An array has no `]`.
    ArrayNotClosed,
    /// A table has no `}`.
    TableNotClosed,
    /// A text of several lines has no three quotes at its end.
    TextNotClosed,
    /// Until this can be read, more may be wrong than is told.
    RestUncertain,
    /// There are more problems from here on.
    MoreProblems { count: u32 },
    /// There are more warnings from here on.
    MoreWarnings { count: u32 },
    /// No table has this key here.
    UnknownKey {
        key: String,
        table: ProblemTable,
        /// What was probably meant.
        suggestion: Option<String>,
        /// The keys that there are.
        known: Vec<String>,
    },
    /// The key has a sign between its quotes; what it is called may be a secret.
    SignInKey { table: ProblemTable, sign: String },
    /// The key belongs to the whole file, above the first table.
    KeyOfFile { key: String, table: ProblemTable },
    /// The key belongs below the header of another table.
    KeyOfTable {
        key: String,
        table: ProblemTable,
        /// `[limits]` or `[[agents]]`.
        header: String,
    },
    /// The key is a variable, which stands in `env`.
    KeyOfEnv { key: String, table: ProblemTable },
    /// The name of a variable has `=` or a NUL character, or is empty.
    BadVariable,
    /// A key is missing.
    MissingKey {
        key: String,
        table: ProblemTable,
        /// That of the table, where it has one.
        name: Option<String>,
    },
    /// The value has another type.
    WrongType {
        subject: ProblemSubject,
        wanted: ValueType,
        found: ValueType,
        /// What to write instead, such as `[[agents]]`.
        header: Option<String>,
    },
    /// The number is too small or too large.
    OutOfRange {
        subject: ProblemSubject,
        #[cfg_attr(test, ts(type = "number"))]
        least: i64,
        #[cfg_attr(test, ts(type = "number"))]
        most: i64,
    },
    /// The value is none of the words that there are.
    UnknownValue {
        subject: ProblemSubject,
        value: String,
        /// What was probably meant.
        suggestion: Option<String>,
        /// The words that there are.
        known: Vec<String>,
    },
    /// There is no such preset.
    UnknownPreset {
        preset: String,
        /// What was probably meant.
        suggestion: Option<String>,
        /// The presets that there are.
        known: Vec<String>,
    },
    /// `stopIdleAgentsAfter` is no duration, or out of its range.
    BadDuration,
    /// The name has signs that a name may not have.
    BadName,
    /// The value is empty.
    Empty { subject: ProblemSubject },
    /// The list of agents is empty.
    NoAgents { table: ProblemTable },
    /// The list has too many entries.
    TooManyEntries { subject: ProblemSubject, most: u32 },
    /// The value does not obey the schema in another way.
    AgainstSchema {
        subject: ProblemSubject,
        /// Of JSON Schema.
        keyword: String,
    },
    /// A text has a NUL character.
    NulCharacter,
    /// Two tables have the same name.
    DuplicateName { table: ProblemTable, name: String },
    /// A list names an agent twice.
    AgentTwice {
        table: ProblemTable,
        /// That of the table, where it has one.
        name: Option<String>,
        agent: String,
    },
    /// A list names an agent that the file does not have.
    UnknownAgent {
        table: ProblemTable,
        /// That of the table, where it has one.
        name: Option<String>,
        agent: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// An agent has neither a command nor a preset.
    NothingToRun {
        /// The agent's, where it has one.
        name: Option<String>,
    },
    /// The command is not found on `PATH`.
    CommandNotFound { command: String },
    /// The path leads to no program that can be run.
    NotExecutable { command: String },
    /// The working directory does not exist.
    FolderMissing { folder: String },
    /// The image does not exist.
    ImageMissing { image: String },
    /// There is no such icon.
    UnknownIcon {
        icon: String,
        /// What was probably meant.
        suggestion: Option<String>,
        /// The icons that there are.
        known: Vec<String>,
    },
    /// The variable is not set for the daemon.
    VariableNotSet { variable: String },
    /// The variable is set for the daemon, and not handed on.
    VariableNotHandedOn { variable: String },
    /// Agents may type into every terminal.
    FreeAccess,
    /// Other users may write the file.
    OthersMayWrite {
        /// What takes that away, for a shell.
        command: String,
    },
    /// The key counts from the next start of the daemon.
    CountsLater { key: String },
}

/// A table of the configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProblemTable {
    /// The whole file, above the first header.
    File,
    /// `[limits]`.
    Limits,
    /// One of `[[agents]]`.
    Agent,
    /// One of `[[channels]]`.
    Channel,
    /// One of `[[mcp_servers]]`.
    McpServer,
}

/// What of a configuration file has a wrong value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProblemSubject {
    /// The whole file.
    File,
    /// The value of a key.
    Key { key: String },
    /// An element of the array of a key.
    Element { key: String },
    /// A value of `env` whose name is not shown.
    EnvValue,
}

/// What a value of a configuration file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    String,
    Integer,
    Float,
    Boolean,
    DateTime,
    Array,
    Table,
}
