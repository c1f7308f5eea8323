//! Command lines: built once, run or shown. The only place of xtask where processes begin.
#![expect(
    clippy::disallowed_methods,
    reason = "a build tool runs the tools of the build; nothing here is guarded"
)]

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// A program with its arguments, environment and folder.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
}

impl Invocation {
    pub(crate) fn of(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
        }
    }

    /// Returns an invocation of the cargo that runs this tool.
    pub(crate) fn cargo() -> Self {
        Self::of("cargo")
    }

    pub(crate) fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub(crate) fn environment(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub(crate) fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Runs to the end with this tool's own output, and without input.
    ///
    /// # Errors
    ///
    /// When the program cannot be started or does not exit with 0.
    pub(crate) fn run(&self) -> Result<()> {
        let status = self
            .command()
            .stdin(Stdio::null())
            .status()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        if !status.success() {
            bail!("{} ended with {status}", self.program.display());
        }
        Ok(())
    }

    /// Runs to the end and returns the standard output.
    ///
    /// # Errors
    ///
    /// When the program cannot be started, does not exit with 0 (with what it wrote to standard error), or writes
    /// something that is not UTF-8.
    pub(crate) fn output(&self) -> Result<String> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        if !output.status.success() {
            bail!(
                "`{self}` ended with {}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{self}` did not write UTF-8"))
    }

    /// Returns whether the program is there and exits with 0; what it writes is thrown away.
    pub(crate) fn succeeds(&self) -> bool {
        self.command()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Returns the command, to be started with other streams than `run` gives it.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

/// Shows a line that can be pasted into a shell.
impl fmt::Display for Invocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(folder) = &self.folder {
            write!(formatter, "cd {} && ", quoted(&folder.display().to_string()))?;
        }
        for (name, value) in &self.environment {
            write!(
                formatter,
                "{}={} ",
                name.display(),
                quoted(&value.display().to_string())
            )?;
        }
        write!(formatter, "{}", quoted(&self.program.display().to_string()))?;
        for argument in &self.arguments {
            write!(formatter, " {}", quoted(&argument.display().to_string()))?;
        }
        Ok(())
    }
}

fn quoted(word: &str) -> String {
    let plain = |character: char| {
        character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '/' | '=' | ':')
    };
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_as_a_line_for_a_shell() {
        let invocation = Invocation::of("npm")
            .arguments(["run", "it's so"])
            .environment("UPDATE", "1")
            .folder("apps/web");
        assert_eq!(
            invocation.to_string(),
            r"cd apps/web && UPDATE=1 npm run 'it'\''s so'"
        );
    }

    #[test]
    fn a_failure_says_what_the_program_said() {
        let error = Invocation::of("sh")
            .arguments(["-c", "echo lost >&2; exit 3"])
            .output()
            .expect_err("exit 3 is a failure")
            .to_string();
        assert!(error.ends_with("ended with exit status: 3: lost"), "{error}");
    }

    #[test]
    fn what_is_not_there_does_not_succeed() {
        assert!(Invocation::of("true").succeeds());
        assert!(!Invocation::of("false").succeeds());
        assert!(!Invocation::of("/nowhere/at/all").succeeds());
    }
}
