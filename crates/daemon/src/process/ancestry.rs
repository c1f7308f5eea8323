//! Who a process is below: the guards that run, and the road from a process up to one of them.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use pupitre_model::gate::Asker;
use pupitre_protocol::AgentName;

/// The guards that run, and which agent each guards. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guards(Arc<Mutex<HashMap<u32, AgentName>>>);

/// A guard that runs, as long as this lives.
#[derive(Debug)]
pub(crate) struct KnownGuard {
    guards: Guards,
    pid: u32,
}

/// What is known of a process's parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    Process(u32),
    /// There is no such process any more.
    Gone,
    /// This system does not tell, so nobody can be told from anybody.
    #[cfg_attr(target_os = "linux", expect(dead_code, reason = "Linux tells"))]
    Untold,
}

/// More steps than any real tree of processes has; a road that is longer changed while it was walked.
const MOST_STEPS: usize = 256;

impl Guards {
    /// Begins a guard and remembers it as long as what is returned lives. Nobody looks at the guards in between.
    pub(super) fn begin<Begun>(
        &self,
        agent: &AgentName,
        begin: impl FnOnce() -> io::Result<(Option<u32>, Begun)>,
    ) -> io::Result<(Option<KnownGuard>, Begun)> {
        let mut guards = self.lock();
        let (pid, begun) = begin()?;
        let known = pid.map(|pid| {
            guards.insert(pid, agent.clone());
            KnownGuard {
                guards: self.clone(),
                pid,
            }
        });
        drop(guards);
        Ok((known, begun))
    }

    /// Says whether a process is below a guard.
    ///
    /// Whatever breaks away from an agent comes back to its guard, which is a subreaper, and what breaks away from a guard
    /// that was killed comes to this daemon; so the road upwards never misses them.
    pub(crate) fn asker(&self, pid: Option<u32>) -> Asker {
        self.asker_on(pid, super::parent::parent)
    }

    fn asker_on(&self, pid: Option<u32>, parent: impl Fn(u32) -> Parent) -> Asker {
        let Some(mut pid) = pid.filter(|pid| *pid > 0) else {
            // The process is in a world of its own, a container for example.
            return Asker::Unknown;
        };
        let daemon = std::process::id();
        for _ in 0..MOST_STEPS {
            if let Some(agent) = self.lock().get(&pid) {
                return Asker::Inside { agent: agent.clone() };
            }
            match parent(pid) {
                Parent::Process(0 | 1) => return Asker::Outside,
                // No guard, and a child of the daemon: it broke away from a guard that is gone.
                Parent::Process(above) if above == daemon && !self.lock().contains_key(&pid) => {
                    return Asker::Unknown;
                }
                Parent::Process(above) => pid = above,
                Parent::Gone => return Asker::Unknown,
                Parent::Untold => return Asker::Outside,
            }
        }
        Asker::Unknown
    }

    /// Looks at something while no guard begins, with the process ids of those that run.
    #[cfg(target_os = "linux")]
    pub(super) fn while_none_begins<Seen>(&self, look: impl FnOnce(&[u32]) -> Seen) -> Seen {
        let guards = self.lock();
        let pids: Vec<u32> = guards.keys().copied().collect();
        look(&pids)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, AgentName>> {
        self.0.lock().expect("nothing panics while it holds the guards")
    }
}

impl Drop for KnownGuard {
    fn drop(&mut self) {
        self.guards.lock().remove(&self.pid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_road_upwards_says_who_asks() {
        let guards = Guards::default();
        let name: AgentName = "demo".parse().expect("a name");
        let (guard, ()) = guards.begin(&name, || Ok((Some(50), ()))).expect("nothing fails");
        let daemon = std::process::id();
        let parent = |pid| match pid {
            10 => Parent::Process(11),
            11 => Parent::Process(1),
            // Below the guard, which is below the daemon.
            20 => Parent::Process(21),
            21 => Parent::Process(50),
            50 | 30 => Parent::Process(daemon),
            40 => Parent::Process(40),
            _ => Parent::Gone,
        };
        let ask = |pid| guards.asker_on(pid, parent);
        assert_eq!(ask(Some(10)), Asker::Outside);
        for inside in [20, 21, 50] {
            assert_eq!(ask(Some(inside)), Asker::Inside { agent: name.clone() });
        }
        // An orphan of a guard that was killed, a circle, a process that is gone, one of another world.
        for unknown in [Some(30), Some(40), Some(99), Some(0), None] {
            assert_eq!(ask(unknown), Asker::Unknown, "{unknown:?}");
        }
        drop(guard);
        assert_eq!(ask(Some(20)), Asker::Unknown);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_test_is_outside() {
        assert_eq!(Guards::default().asker(Some(std::process::id())), Asker::Outside);
    }
}
