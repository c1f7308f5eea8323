//! Starting the one program of a guard: in a session of its own, with the signal dispositions and the mask of a
//! fresh process, its environment complete and its descriptors the guard's 0, 1 and 2, or a terminal. Nothing else is
//! inherited.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use crate::terminal::take_control;
use crate::tree::prepare_child;

/// What to start.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) env: Vec<(String, String)>,
    /// The program's side of its terminal; without one it gets the guard's own descriptors.
    pub(crate) terminal: Option<OwnedFd>,
}

/// What the program has at 0, 1 and 2.
#[derive(Debug, Clone, Copy)]
enum Streams {
    Inherited,
    Terminal,
}

/// Why a program does not run. The texts reach the person as they are.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpawnError {
    #[error("no program given")]
    NothingGiven,
    #[error("the working directory {cwd} does not exist")]
    NoDirectory { cwd: String },
    #[error("cannot enter the working directory {cwd}: {source}")]
    Directory { cwd: String, source: io::Error },
    #[error("cannot run \"{program}\": the interpreter named in its first line is missing")]
    NoInterpreter { program: String },
    #[error("cannot run \"{program}\": {source}")]
    Run { program: String, source: io::Error },
}

/// Starts the program; returns its id, which the caller has to wait for.
///
/// The guard enters the working directory for the moment of the start, so that a failure can be told from that of
/// the program, and leaves it again, so that it keeps no file system busy.
pub(crate) fn spawn(program: Program) -> Result<Pid, SpawnError> {
    let Program {
        argv,
        cwd,
        env,
        terminal,
    } = program;
    let (name, arguments) = argv.split_first().ok_or(SpawnError::NothingGiven)?;
    if let Some(cwd) = cwd {
        std::env::set_current_dir(&cwd).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => SpawnError::NoDirectory { cwd: cwd.clone() },
            _ => SpawnError::Directory {
                cwd: cwd.clone(),
                source,
            },
        })?;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "what is guarded begins here and nowhere else"
    )]
    let mut command = Command::new(name);
    command.args(arguments).env_clear().envs(env);
    let streams = match &terminal {
        Some(terminal) => {
            let terminal = || Ok(Stdio::from(terminal.try_clone()?));
            let [stdin, stdout, stderr] = [terminal(), terminal(), terminal()].map(|stream| {
                stream.map_err(|source| SpawnError::Run {
                    program: name.clone(),
                    source,
                })
            });
            command.stdin(stdin?).stdout(stdout?).stderr(stderr?);
            Streams::Terminal
        }
        None => Streams::Inherited,
    };
    in_child(&mut command, rustix::process::getpid(), streams);
    let child = command.spawn().map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound && std::fs::exists(name).unwrap_or(false) {
            SpawnError::NoInterpreter {
                program: name.clone(),
            }
        } else {
            SpawnError::Run {
                program: name.clone(),
                source,
            }
        }
    })?;
    Ok(Pid::from_child(&child))
}

/// Gives up what only the start needed: the working directory, and the pipes at 0, 1 and 2, so that each of them
/// ends when the last process of the tree closes it.
pub(crate) fn let_go() -> io::Result<()> {
    std::env::set_current_dir("/")?;
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

#[expect(
    unsafe_code,
    reason = "what runs between fork and exec cannot be checked by the compiler"
)]
fn in_child(command: &mut Command, guard: Pid, streams: Streams) {
    // SAFETY: the closure makes system calls only, of those that are async-signal-safe; it neither allocates nor
    // takes a lock, and its errors are bare error numbers. The guard has a single thread, so no lock is held at fork.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            match streams {
                Streams::Terminal => take_control(rustix::stdio::stdin())?,
                Streams::Inherited => {}
            }
            default_dispositions();
            prepare_child(guard)
        });
    }
}

/// Lets every signal do what it does by default, also those that the daemon's own parent (`nohup`, a shell's `&`)
/// had ignored. The mask is emptied by the standard library.
#[expect(
    unsafe_code,
    reason = "no safe wrapper of signal dispositions among our dependencies"
)]
fn default_dispositions() {
    for signal in 1..=64 {
        // SAFETY: setting a default installs no code. The numbers that cannot be set (9, 19, two of the C library's
        // own) are refused with EINVAL and need nothing.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}
