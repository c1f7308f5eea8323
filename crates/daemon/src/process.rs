//! Starting agents below guards: the only place of the daemon where processes begin.
//!
//! Responsible for pipes, the guard's control socket and finding a program on `PATH`; when to start and stop is
//! decided by the agent's task.

mod ancestry;
mod foreground;
mod guard_link;
mod orphans;
mod parent;
mod program;
mod recognition;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

use pupitre_guard::wire::{GuardReport, GuardRequest, TerminalSize};
use pupitre_protocol::{AgentName, SurfaceId};
use rustix::fs::Mode;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use crate::tasks::Tasks;

use guard_link::LinkEnd;

pub(crate) use ancestry::Guards;
pub(crate) use foreground::{Foreground, ended};
pub(crate) use orphans::adopt as adopt_orphans;
pub(crate) use program::{
    CommandParts, LaunchError, Program, exit_reason, find, handed_on, own_environment, signal_name,
    working_folder,
};

/// The descriptor on which a guard finds its control socket.
const CONTROL_DESCRIPTOR: i32 = 3;

/// What is needed to start guards.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// This program, which is also the guard.
    pub(crate) executable: PathBuf,
    pub(crate) tasks: Tasks,
    pub(crate) guards: Guards,
    /// The file mode mask with which the daemon was started; its own is stricter, and not for what agents make.
    pub(crate) umask: Mode,
}

/// Whose process a guard guards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    Agent(AgentName),
    Pane {
        surface: SurfaceId,
        /// The process id of its program, once it runs.
        leader: Arc<OnceLock<u32>>,
    },
}

/// A process below its guard: what goes in and out of it.
pub(crate) struct Guarded {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
    /// Asks the guard to end the tree.
    pub(crate) requests: mpsc::UnboundedSender<GuardRequest>,
}

/// What is heard of a guard.
#[derive(Debug)]
pub(crate) enum GuardNews {
    Report(GuardReport),
    /// The side of a pane's terminal that is the daemon's.
    Terminal(OwnedFd),
    /// The guard itself was ended, and whatever it left behind is being ended.
    Killed,
    /// The guard itself is gone, and whatever it left behind was ended.
    Lost,
}

/// Starts a program below a guard of its own; what happens to it comes through `news`.
///
/// # Errors
///
/// When the guard itself cannot be started. Whether the program could be comes as a report.
pub(crate) fn start(
    world: &World,
    agent: &AgentName,
    program: Program,
    news: mpsc::UnboundedSender<GuardNews>,
) -> io::Result<Guarded> {
    let stdio = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
    let owner = Owner::Agent(agent.clone());
    let (pipes, requests) = begin(world, owner, (program, None), stdio, news)?;
    let (stdin, stdout, stderr) = pipes.expect("all three were asked for as pipes");
    Ok(Guarded {
        stdin,
        stdout,
        stderr,
        requests,
    })
}

/// Starts a program on a terminal of this size, below a guard of its own. The terminal comes as the first of the `news`.
/// Returns what asks the guard to end the tree.
///
/// # Errors
///
/// When the guard itself cannot be started. Whether the program could be comes as a report.
pub(crate) fn start_on_terminal(
    world: &World,
    owner: Owner,
    program: Program,
    size: TerminalSize,
    news: mpsc::UnboundedSender<GuardNews>,
) -> io::Result<Requests> {
    let stdio = [Stdio::null(), Stdio::null(), Stdio::null()];
    let (_, requests) = begin(world, owner, (program, Some(size)), stdio, news)?;
    Ok(requests)
}

/// Asks a guard.
pub(crate) type Requests = mpsc::UnboundedSender<GuardRequest>;

fn begin(
    world: &World,
    owner: Owner,
    (program, terminal): (Program, Option<TerminalSize>),
    stdio: [Stdio; 3],
    news: mpsc::UnboundedSender<GuardNews>,
) -> io::Result<(Option<Pipes>, Requests)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    // It is known before it is told to start anything, so that nothing of the agent asks the daemon while it is not.
    let (known, mut guard) = world.guards.begin(owner, || {
        let guard = spawn_guard(world, theirs.into(), stdio)?;
        Ok((guard.id(), guard))
    })?;
    let pipes = guard
        .stdin
        .take()
        .zip(guard.stdout.take())
        .zip(guard.stderr.take())
        .map(|((stdin, stdout), stderr)| (stdin, stdout, stderr));
    let control = tokio::net::UnixStream::from_std(ours)?;
    let (requests, requests_in) = mpsc::unbounded_channel();
    let spawn = GuardRequest::Spawn {
        argv: program.argv,
        cwd: Some(program.cwd),
        env: program.env,
        grace_ms: None,
        terminal,
    };
    requests
        .send(spawn)
        .map_err(|_| io::Error::other("the guard's requests are closed"))?;
    let guards = world.guards.clone();
    world.tasks.spawn(async move {
        if guard_link::run(control, requests_in, &news).await == LinkEnd::Overdue {
            tracing::error!("a guard does not end what it guards; it is killed, and the daemon does it");
            // One that has ended in the meantime is awaited below like any other.
            if let Err(error) = guard.start_kill() {
                tracing::debug!(%error, "a guard could not be killed");
            }
        }
        let ended_well = match guard.wait().await {
            Ok(status) => status.success(),
            Err(error) => {
                tracing::warn!(%error, "a guard's end could not be awaited");
                false
            }
        };
        drop(known);
        if !ended_well {
            // Why it ends is known now; what it left behind takes a while to end.
            drop(news.send(GuardNews::Killed));
            let left = orphans::end(&guards).await;
            if left > 0 {
                tracing::error!(left, "processes of a guard that was killed cannot be ended");
            }
        }
        // Nobody hears it when the agent's task is gone, which is after the end of the daemon's work.
        drop(news.send(GuardNews::Lost));
    });
    Ok((pipes, requests))
}

type Pipes = (ChildStdin, ChildStdout, ChildStderr);

#[expect(clippy::disallowed_methods, reason = "this is the place where guards begin")]
#[expect(
    unsafe_code,
    reason = "the control socket must be put at its descriptor between fork and exec"
)]
fn spawn_guard(world: &World, control: OwnedFd, [stdin, stdout, stderr]: [Stdio; 3]) -> io::Result<Child> {
    let mut command = tokio::process::Command::new(&world.executable);
    command
        .arg("guard")
        .env_clear()
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr);
    let raw = control.as_raw_fd();
    let umask = world.umask;
    // SAFETY: the closure runs in the child between fork and exec and only calls umask, dup2 and fcntl, which are
    // async-signal-safe; `control` lives until after the spawn, so `raw` is open there.
    unsafe {
        command.pre_exec(move || {
            rustix::process::umask(umask);
            place_control(raw)
        });
    }
    command.spawn()
}

/// Puts the control socket at its descriptor, open across exec.
#[expect(unsafe_code, reason = "descriptors are bare numbers between fork and exec")]
fn place_control(raw: i32) -> io::Result<()> {
    // SAFETY: `raw` is open in the child, which is a copy of this process at the time of the fork.
    let control = unsafe { std::os::fd::BorrowedFd::borrow_raw(raw) };
    if raw == CONTROL_DESCRIPTOR {
        rustix::io::fcntl_setfd(control, rustix::io::FdFlags::empty())?;
        return Ok(());
    }
    // SAFETY: the number is only overwritten by dup2, whatever is open there in the child is not used before exec.
    let mut place = unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(CONTROL_DESCRIPTOR) };
    let placed = rustix::io::dup2(control, &mut place);
    std::mem::forget(place);
    Ok(placed?)
}
