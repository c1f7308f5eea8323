//! `pupitre stop`: stops every agent and the daemon, and returns when the daemon is gone.

use std::time::{Duration, Instant};

use pupitre_protocol::method::system;
use pupitre_protocol::system::Empty;
use rustix::process::{Pid, test_kill_process};

use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

/// How long the daemon's process may take to end after it has said goodbye.
const LAST_MOMENT: Duration = Duration::from_secs(10);
/// How often it is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

pub(super) fn run(desk: &Desk, output: &mut Output) -> Result<(), Failure> {
    let mut client = desk.find_of_any_protocol()?;
    let daemon = client.call::<system::Identify>(&Empty {})?.pid;
    output.progress("stopping the agents and the daemon…")?;
    client.call::<system::Shutdown>(&Empty {})?;
    client.wait_until_closed()?;
    if is_gone_soon(daemon) {
        output.line("the daemon has stopped")?;
    } else {
        output.line(&format!(
            "the daemon serves nobody any more; its process {daemon} has not ended yet"
        ))?;
    }
    Ok(())
}

/// Waits for the end of the process, which still has to let go of its files: whoever starts a daemon next finds them free.
fn is_gone_soon(daemon: u32) -> bool {
    let Some(pid) = i32::try_from(daemon).ok().and_then(Pid::from_raw) else {
        return true;
    };
    let deadline = Instant::now() + LAST_MOMENT;
    while test_kill_process(pid).is_ok() && !is_only_waited_for(daemon) {
        if Instant::now() >= deadline {
            return false;
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "a process that is no child of ours tells nobody of its end"
        )]
        std::thread::sleep(LOOK_AGAIN);
    }
    true
}

/// Says whether a process has ended and only its parent has not asked for it yet: then it holds no file any more.
fn is_only_waited_for(pid: u32) -> bool {
    // Where there is no such file, nothing tells the two apart.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name before the state stands in parentheses, and may have some itself.
    let state = stat.rsplit_once(')').map(|(_, behind)| behind.trim_start());
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the test needs a child of its own that it does not wait for"
    )]
    fn a_process_that_its_parent_has_not_asked_for_is_gone() {
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", "exit 0"])
            .spawn()
            .expect("a shell");
        assert!(is_gone_soon(child.id()));
        child.wait().expect("nobody else has waited for it");
    }
}
