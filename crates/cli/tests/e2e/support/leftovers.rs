//! Processes of a test that are still alive: found by the tag in their environment, and waited for by the system's own
//! word, not by looking again and again. Only Linux can tell.

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::OwnedFd;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

    use super::super::TAG_VARIABLE;

    /// A guard that lost its daemon takes 8 s to end what ignores it, and more on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// Returns every process with the tag, and what it is.
    pub(crate) fn alive(tag: &str) -> Vec<(i32, String)> {
        let wanted = format!("{TAG_VARIABLE}={tag}");
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(|pid: i32| {
            // A process that has ended, or is another user's, has no environment to read.
            let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
            let has_tag = environment
                .split(|&byte| byte == 0)
                .any(|variable| variable == wanted.as_bytes());
            has_tag.then(|| {
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                (pid, String::from_utf8_lossy(&line).replace('\0', " "))
            })
        })
        .collect()
    }

    /// Returns every command line that has this in it, but for those of tests themselves.
    pub(crate) fn commands_with(text: &str) -> Vec<(i32, String)> {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let lines = processes.filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid, String::from_utf8_lossy(&line).replace('\0', " ")))
        });
        lines.filter(|(_, line)| line.contains(text)).collect()
    }

    /// Waits until no process with the tag is alive.
    pub(crate) fn expect_none(tag: &str) {
        wait_for_none(|| alive(tag));
    }

    /// Waits until no process has this in its command line.
    pub(crate) fn wait_for_no_command_with(text: &str) {
        wait_for_none(|| commands_with(text));
    }

    fn wait_for_none(find: impl Fn() -> Vec<(i32, String)>) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let alive = find();
            let Some((pid, _)) = alive.first() else { return };
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && wait_for_end(*pid, left),
                "processes are left behind: {alive:#?}"
            );
        }
    }

    /// Returns whether the process ended in time.
    fn wait_for_end(pid: i32, left: Duration) -> bool {
        let Some(process) = open(pid) else { return true };
        let left = Timespec::try_from(left).expect("a deadline is near");
        poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&left)).is_ok_and(|ready| ready > 0)
    }

    fn open(pid: i32) -> Option<OwnedFd> {
        pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()
    }

    /// Ends what a failed test left.
    pub(crate) fn kill(tag: &str) {
        for (pid, _) in alive(tag) {
            if let Some(pid) = Pid::from_raw(pid) {
                kill_process(pid, Signal::KILL).ok();
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{alive, commands_with, expect_none, kill, wait_for_no_command_with};

#[cfg(not(target_os = "linux"))]
mod other {
    pub(crate) fn alive(_tag: &str) -> Vec<(i32, String)> {
        Vec::new()
    }

    pub(crate) fn commands_with(_text: &str) -> Vec<(i32, String)> {
        Vec::new()
    }

    pub(crate) fn wait_for_no_command_with(_text: &str) {}

    pub(crate) fn expect_none(_tag: &str) {}

    pub(crate) fn kill(_tag: &str) {}
}

#[cfg(not(target_os = "linux"))]
pub(super) use other::{alive, commands_with, expect_none, kill, wait_for_no_command_with};
