//! What is left of a tree whose guard was killed: it becomes a child of the daemon, which ends it in the guard's place.

use std::io;

use super::Guards;

/// Makes this process the one to which orphans of killed guards come.
///
/// # Errors
///
/// When the system refuses.
pub(crate) fn adopt() -> io::Result<()> {
    system::adopt()
}

/// Ends whatever came to the daemon from guards that were killed: SIGTERM, and after 3 s SIGKILL. Says how many could not
/// be ended within 10 s.
pub(super) async fn end(guards: &Guards) -> usize {
    system::end(guards).await
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;
    use std::io;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};

    use super::Guards;
    use crate::clock::steady_ms;
    use crate::process::ancestry::Parent;
    use crate::process::parent::parent;

    const LOOK: Duration = Duration::from_millis(20);
    const KILL_AFTER_MS: u64 = 3_000;
    const GIVE_UP_AFTER_MS: u64 = 10_000;

    pub(super) fn adopt() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    pub(super) async fn end(guards: &Guards) -> usize {
        let begun_ms = steady_ms();
        // When each was first seen; those below one that dies come up and are seen later.
        let mut seen: HashMap<i32, u64> = HashMap::new();
        loop {
            let orphans = guards.while_none_begins(orphans);
            let now_ms = steady_ms();
            for orphan in &orphans {
                let number = orphan.as_raw_nonzero().get();
                let signal = match seen.get(&number) {
                    None => {
                        seen.insert(number, now_ms);
                        Signal::TERM
                    }
                    Some(since_ms) if now_ms - since_ms >= KILL_AFTER_MS => Signal::KILL,
                    Some(_) => continue,
                };
                // A child keeps its id until it is waited for below, so nobody else is hit.
                if let Err(error) = kill_process(*orphan, signal) {
                    tracing::debug!(pid = number, %error, "an orphan could not be signalled");
                }
            }
            let left = orphans.into_iter().filter(|orphan| !has_ended(*orphan)).count();
            if left == 0 && guards.while_none_begins(self::orphans).is_empty() {
                return 0;
            }
            if now_ms - begun_ms >= GIVE_UP_AFTER_MS {
                return left;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits for a child that has ended, so that nothing is left of it.
    fn has_ended(child: Pid) -> bool {
        match waitpid(Some(child), WaitOptions::NOHANG) {
            Ok(status) => status.is_some(),
            // Somebody waited for it already.
            Err(_) => true,
        }
    }

    /// Returns the children of this process that are no guards.
    fn orphans(guards: &[u32]) -> Vec<Pid> {
        let daemon = std::process::id();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| !guards.contains(pid) && parent(*pid) == Parent::Process(daemon))
            .filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
            .collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use super::Guards;

    /// Here nothing comes to this process.
    pub(super) fn adopt() -> io::Result<()> {
        Ok(())
    }

    pub(super) async fn end(_guards: &Guards) -> usize {
        0
    }
}
