//! Which agent a process is, by its executable, its name and its arguments.
//!
//! Responsible for recognising; whoever looks finds out which processes there are. A process that cannot be told for an
//! agent is none: a false name would give a shell or an editor the state of an agent.

mod built_in;

use pupitre_protocol::{AgentName, AgentNameError};
use serde::Deserialize;
use toml::Spanned;

/// What is known of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessFacts<'a> {
    /// The path of its executable; `None` when that cannot be read.
    pub exe: Option<&'a str>,
    /// Its name in the kernel, of which at most 15 bytes are kept.
    pub comm: &'a str,
    pub argv: &'a [String],
}

/// How agents are recognised, those that were added later first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    agents: Vec<Signature>,
}

/// How one agent is recognised. A pattern is the last part of a path, or several with slashes between; `*` stands for
/// any text without a slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Signature {
    tool: String,
    /// Patterns for the path of the executable.
    executables: Vec<String>,
    /// Names in the kernel, which the arguments have to bear out.
    names: Vec<String>,
    /// Titles that the agent gives itself while an interpreter runs it: the name in the kernel and the first argument.
    titles: Vec<String>,
    /// Patterns for the path of the script that an interpreter or a shell runs; Python's modules too.
    scripts: Vec<String>,
}

/// Says why a file of signatures cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SignatureError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub message: String,
}

/// How many bytes of a name the kernel keeps.
const COMM_BYTES: usize = 15;

/// Ends of scripts' names that say in which language they are.
const SCRIPT_ENDS: [&str; 4] = [".js", ".mjs", ".cjs", ".py"];

/// First words behind an agent's program that make it something else than an agent for a person at a terminal.
const SERVER_WORDS: [&str; 6] = ["acp", "app-server", "mcp", "mcp-server", "serve", "server"];
const SERVER_OPTIONS: [&str; 2] = ["--acp", "--experimental-acp"];

/// Programs that make an agent speak ACP.
const ACP_PROGRAMS: [&str; 5] = [
    "claude-agent-acp",
    "claude-code-acp",
    "codex-acp",
    "pi-acp",
    "vibe-acp",
];

impl Signatures {
    /// Returns what is known without any file.
    pub fn built_in() -> Self {
        Self {
            agents: built_in::AGENTS.iter().map(built_in::Known::signature).collect(),
        }
    }

    /// Returns what is known with the agents of a TOML file before it: each an `[[agent]]` with `tool` and at least one of
    /// the lists `executables`, `names`, `titles` and `scripts`.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, and where: no TOML, a key that is not known, an empty pattern, a word that is no
    /// agent's name.
    pub fn with_more(text: &str) -> Result<Self, SignatureError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            SignatureError::at(text, at, error.message())
        })?;
        let mut more = Vec::with_capacity(file.agent.len());
        for entry in file.agent {
            let at = entry.span().start;
            more.push(
                entry
                    .into_inner()
                    .signature()
                    .map_err(|wrong| SignatureError::at(text, at, &wrong.to_string()))?,
            );
        }
        more.extend(Self::built_in().agents);
        Ok(Self { agents: more })
    }

    /// Returns the name of the agent that a process is, when that works for a person at a terminal: `claude`, `codex`, ….
    ///
    /// Looked at in this order: the executable, the name in the kernel, the script that an interpreter runs.
    pub fn tool(&self, process: &ProcessFacts<'_>) -> Option<&str> {
        self.tool_of(&Seen::of(process))
    }

    /// Returns which of these processes is the agent, by its place, and the agent's name: the first that is one, where a
    /// script of a shell counts only when nothing else is one, since most of them start an agent and are none.
    pub fn agent_among<'a>(
        &self,
        processes: impl IntoIterator<Item = ProcessFacts<'a>>,
    ) -> Option<(usize, &str)> {
        let mut script = None;
        for (place, process) in processes.into_iter().enumerate() {
            let seen = Seen::of(&process);
            let Some(tool) = self.tool_of(&seen) else { continue };
            if !seen.is_shell_script() {
                return Some((place, tool));
            }
            script = script.or(Some((place, tool)));
        }
        script
    }

    fn tool_of(&self, seen: &Seen<'_>) -> Option<&str> {
        let found = self.find(seen)?;
        (!seen.is_server()).then_some(&found.tool)
    }

    /// Says whether a process is an agent of any kind, one that serves programs among them (ACP, servers, SDKs): what it
    /// runs is no person's doing.
    pub fn is_agent(&self, process: &ProcessFacts<'_>) -> bool {
        let seen = Seen::of(process);
        self.find(&seen).is_some() || seen.is_acp_program()
    }

    fn find(&self, seen: &Seen<'_>) -> Option<&Signature> {
        let agents = &self.agents;
        agents
            .iter()
            .find(|agent| agent.has_executable(seen))
            .or_else(|| agents.iter().find(|agent| agent.has_name(seen)))
            .or_else(|| agents.iter().find(|agent| agent.has_script(seen)))
    }
}

/// A process as signatures look at it.
struct Seen<'a> {
    exe: Option<&'a str>,
    comm: &'a str,
    argv: &'a [String],
    interpreter: Option<Interpreter>,
    /// What an interpreter runs, and the arguments of that; `None` when the process is no interpreter, or runs no script.
    script: Option<(&'a str, &'a [String])>,
}

impl<'a> Seen<'a> {
    fn of(process: &ProcessFacts<'a>) -> Self {
        let ProcessFacts { exe, comm, argv } = *process;
        // So the kernel shows a file that was replaced while it runs.
        let exe = exe.map(|exe| exe.strip_suffix(" (deleted)").unwrap_or(exe));
        let first = argv.first().map(String::as_str);
        // One program is many there, by the name that it is called by.
        let own = exe.filter(|exe| base(exe) != "busybox");
        let interpreter = Interpreter::of(own.or(first).unwrap_or(comm));
        Self {
            exe,
            comm,
            argv,
            interpreter,
            script: interpreter.and_then(|interpreter| interpreter.script(argv.get(1..)?)),
        }
    }

    fn is_shell_script(&self) -> bool {
        self.interpreter == Some(Interpreter::Shell) && self.script.is_some()
    }

    /// Says whether what it calls itself may be an agent's title. Nothing in a shell gives itself one.
    fn may_have_title(&self) -> bool {
        self.interpreter
            .is_some_and(|interpreter| interpreter != Interpreter::Shell)
    }

    /// Says whether it serves programs, and no person at a terminal.
    fn is_server(&self) -> bool {
        let arguments = match self.script {
            Some((_, arguments)) => arguments,
            None => self.argv.get(1..).unwrap_or_default(),
        };
        let first = arguments.iter().find(|argument| !argument.is_empty());
        first.is_some_and(|first| SERVER_WORDS.contains(&first.as_str()))
            || arguments
                .iter()
                .any(|argument| SERVER_OPTIONS.contains(&argument.as_str()))
    }

    fn is_acp_program(&self) -> bool {
        let script = self.script.map(|(script, _)| script);
        [self.exe, script]
            .into_iter()
            .flatten()
            .any(|path| ACP_PROGRAMS.iter().any(|program| is_at(path, program)))
    }
}

impl Signature {
    fn has_executable(&self, seen: &Seen<'_>) -> bool {
        seen.exe
            .is_some_and(|exe| self.executables.iter().any(|pattern| is_at(exe, pattern)))
    }

    fn has_name(&self, seen: &Seen<'_>) -> bool {
        // A process that has ended and waits for its parent has a name and no arguments: it is no agent any longer.
        let first = seen.argv.first().map(String::as_str);
        let is_borne_out = |name: &String| {
            let is_it = |path: &str| bare(base(path)) == name;
            first.is_some_and(is_it) || seen.script.is_some_and(|(script, _)| is_it(script))
        };
        let is_name = |name: &String| is_comm(seen.comm, name) && is_borne_out(name);
        let is_title =
            |title: &String| seen.may_have_title() && seen.comm == title && first == Some(title.as_str());
        self.names.iter().any(is_name) || self.titles.iter().any(is_title)
    }

    fn has_script(&self, seen: &Seen<'_>) -> bool {
        seen.script
            .is_some_and(|(script, _)| self.scripts.iter().any(|pattern| is_at(script, pattern)))
    }
}

/// What runs scripts that are agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interpreter {
    Node,
    Bun,
    Deno,
    Python,
    Shell,
}

impl Interpreter {
    fn of(program: &str) -> Option<Self> {
        let name =
            bare(base(program)).trim_end_matches(|symbol: char| symbol.is_ascii_digit() || symbol == '.');
        match name.trim_end_matches('-') {
            "node" | "nodejs" => Some(Self::Node),
            "bun" => Some(Self::Bun),
            "deno" => Some(Self::Deno),
            "python" | "pypy" => Some(Self::Python),
            "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" | "fish" => Some(Self::Shell),
            _ => None,
        }
    }

    /// Returns the script and what follows it: the first argument that is no option, nor the value of one.
    fn script(self, arguments: &[String]) -> Option<(&str, &[String])> {
        let mut rest = arguments;
        while let [argument, following @ ..] = rest {
            rest = following;
            match argument.as_str() {
                "" => {}
                "-m" if self == Self::Python => {
                    let [module, following @ ..] = rest else {
                        return None;
                    };
                    return Some((module, following));
                }
                // Nothing but the end of the options, to a shell.
                "-" if self == Self::Shell => {}
                option if self == Self::Shell && is_given_program(option) => return None,
                // A program on the command line, or on stdin.
                "-" | "-c" | "-e" | "--eval" | "-p" | "--print" | "-pe" if self != Self::Shell => {
                    return None;
                }
                "--" => {}
                option if self.takes_value(option) => rest = rest.get(1..)?,
                option if option.starts_with('-') => {}
                option if self == Self::Shell && is_short(option) => {}
                word if self.is_subcommand(word) => {}
                script => return Some((script, rest)),
            }
        }
        None
    }

    /// Says whether the value of an option is an argument of its own.
    fn takes_value(self, option: &str) -> bool {
        match self {
            Self::Node | Self::Bun | Self::Deno => matches!(
                option,
                "-r" | "--require"
                    | "--import"
                    | "--preload"
                    | "--loader"
                    | "--experimental-loader"
                    | "-C"
                    | "--conditions"
                    | "--input-type"
                    | "--cwd"
                    | "--config"
            ),
            Self::Python => matches!(option, "-W" | "-X" | "-Q"),
            Self::Shell => {
                matches!(option, "--rcfile" | "--init-file")
                    || is_short(option) && option.ends_with(['o', 'O'])
            }
        }
    }

    fn is_subcommand(self, word: &str) -> bool {
        match self {
            Self::Bun => matches!(word, "run" | "x"),
            Self::Deno => word == "run",
            Self::Node | Self::Python | Self::Shell => false,
        }
    }
}

/// Says whether an argument of a shell is one-letter options behind each other.
fn is_short(option: &str) -> bool {
    option.starts_with(['-', '+']) && option.len() > 1 && !option.starts_with("--")
}

/// Says whether a shell with this option runs what stands on its command line, or on its stdin, and no script.
fn is_given_program(option: &str) -> bool {
    option == "--command" || option.starts_with('-') && is_short(option) && option.contains(['c', 's'])
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns a program's name without what packagers put around it.
fn bare(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix("-wrapped"))
    {
        Some(wrapped) => wrapped,
        None => name,
    }
}

/// Says whether the kernel would call a program of this name so.
fn is_comm(comm: &str, name: &str) -> bool {
    comm == name || comm.len() == COMM_BYTES && name.starts_with(comm)
}

/// Says whether the last parts of a path match a pattern.
fn is_at(path: &str, pattern: &str) -> bool {
    let mut parts = path.rsplit('/');
    pattern.rsplit('/').enumerate().all(|(place, wanted)| {
        parts.next().is_some_and(|part| {
            is_like(part, wanted)
                || place == 0 && (is_like(bare(part), wanted) || is_like(without_end(part), wanted))
        })
    })
}

fn without_end(script: &str) -> &str {
    SCRIPT_ENDS
        .iter()
        .find_map(|end| script.strip_suffix(end))
        .unwrap_or(script)
}

/// Says whether a part of a path is like a pattern, in which `*` stands for any text.
fn is_like(part: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return part == pattern;
    };
    let Some(mut part) = part.strip_prefix(start) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match part.split_once(piece) {
            Some((_, after)) => part = after,
            None => return false,
        }
    }
    part.ends_with(end)
}

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    agent: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    tool: String,
    #[serde(default)]
    executables: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    titles: Vec<String>,
    #[serde(default)]
    scripts: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum Wrong {
    #[error(transparent)]
    Tool(#[from] AgentNameError),
    #[error(
        "agent \"{tool}\" has nothing to be recognised by: give `executables`, `names`, `titles` or `scripts`"
    )]
    Nothing { tool: String },
    #[error("agent \"{tool}\" has an empty pattern, which would match anything or nothing")]
    Empty { tool: String },
}

impl Entry {
    fn signature(self) -> Result<Signature, Wrong> {
        let Self {
            tool,
            executables,
            names,
            titles,
            scripts,
        } = self;
        tool.parse::<AgentName>()?;
        let patterns = [&executables, &names, &titles, &scripts];
        if patterns.iter().all(|patterns| patterns.is_empty()) {
            return Err(Wrong::Nothing { tool });
        }
        let is_empty = |pattern: &String| pattern.chars().all(|symbol| matches!(symbol, '*' | '/' | ' '));
        if patterns.into_iter().flatten().any(is_empty) {
            return Err(Wrong::Empty { tool });
        }
        Ok(Signature {
            tool,
            executables,
            names,
            titles,
            scripts,
        })
    }
}

impl SignatureError {
    fn at(text: &str, at: usize, message: &str) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.trim_end().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
