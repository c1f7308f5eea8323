//! Which agent a process is, from what the system tells of it; the rules are the model's.

use pupitre_model::fleet::signature::{ProcessFacts, Signatures};

/// How much of a command line is looked at and shown, in bytes.
const COMMAND_LINE_BYTES: usize = 4 << 10;

/// What the system tells of a process.
#[derive(Debug, Clone)]
pub(super) struct Process {
    /// The file that it runs, where this user may know.
    exe: Option<String>,
    comm: String,
    argv: Vec<String>,
}

impl Process {
    /// Reads what the system tells (proc_pid_exe(5), proc_pid_comm(5), proc_pid_cmdline(5)); `None` when the process is gone,
    /// or this system does not tell.
    pub(super) fn read(pid: u32) -> Option<Self> {
        let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let bytes = &bytes[..bytes.len().min(COMMAND_LINE_BYTES)];
        let argv = bytes
            .split(|byte| *byte == 0)
            .map(|argument| String::from_utf8_lossy(argument).into_owned());
        let comm = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        Some(Self {
            exe: std::fs::read_link(format!("/proc/{pid}/exe"))
                .ok()
                .map(|exe| exe.to_string_lossy().into_owned()),
            comm: comm.trim_end_matches('\n').to_owned(),
            argv: argv.collect(),
        })
    }

    /// Says whether it is an agent in any of the ways that an agent's program runs, also one that serves others.
    pub(super) fn is_agent(&self, signatures: &Signatures) -> bool {
        signatures.is_agent(&self.facts())
    }

    /// Returns what signatures look at.
    pub(super) fn facts(&self) -> ProcessFacts<'_> {
        ProcessFacts {
            exe: self.exe.as_deref(),
            comm: &self.comm,
            argv: &self.argv,
        }
    }

    /// Returns the command line as one text for a person.
    pub(super) fn command(&self) -> String {
        let line = self.argv.join(" ");
        let line = pupitre_terminal::harmless(line.trim_end()).replace('\n', " ");
        if line.is_empty() { self.comm.clone() } else { line }
    }

    /// Returns how it was recognised, in plain words.
    pub(super) fn how(&self) -> String {
        match &self.exe {
            Some(exe) => format!("it runs {exe} as \"{}\"", self.command()),
            None => format!("it is called {} and runs \"{}\"", self.comm, self.command()),
        }
    }
}
