//! Who a process is below: the guards that run, and the road from a process up to one of them.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use pupitre_model::fleet::signature::Signatures;
use pupitre_model::gate::Asker;

use super::parent::Terminal;
use super::recognition::Process;
use super::{Owner, parent};

/// The guards that run, and whose processes each guards. Cloning shares them.
#[derive(Debug, Clone)]
pub(crate) struct Guards {
    running: Arc<Mutex<HashMap<u32, Owner>>>,
    signatures: Arc<Signatures>,
}

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

impl Default for Guards {
    fn default() -> Self {
        Self::new(Signatures::built_in())
    }
}

impl Guards {
    /// Returns those of a daemon that recognises agents in panes by these signatures.
    pub(crate) fn new(signatures: Signatures) -> Self {
        Self {
            running: Arc::default(),
            signatures: Arc::new(signatures),
        }
    }

    /// Returns how agents in panes are recognised.
    pub(crate) fn signatures(&self) -> &Signatures {
        &self.signatures
    }

    /// Begins a guard and remembers it as long as what is returned lives. Nobody looks at the guards in between.
    pub(super) fn begin<Begun>(
        &self,
        owner: Owner,
        begin: impl FnOnce() -> io::Result<(Option<u32>, Begun)>,
    ) -> io::Result<(Option<KnownGuard>, Begun)> {
        let mut guards = self.lock();
        let (pid, begun) = begin()?;
        let known = pid.map(|pid| {
            guards.insert(pid, owner);
            KnownGuard {
                guards: self.clone(),
                pid,
            }
        });
        drop(guards);
        Ok((known, begun))
    }

    /// Says who a process is: below a guard, or not, and with a terminal or without.
    ///
    /// Whatever breaks away from an agent comes back to its guard, which is a subreaper, and what breaks away from a guard
    /// that was killed comes to this daemon; so the road upwards never misses them.
    ///
    /// In a pane the person's own shell is outside, and so is what it runs; inside is what is below an agent's process there,
    /// or came to the guard after its own parent had ended, so that nobody can tell any more.
    pub(crate) fn asker(&self, pid: Option<u32>) -> Asker {
        let is_agent = |pid| Process::read(pid).is_some_and(|process| process.is_agent(&self.signatures));
        let asker = self.asker_on(pid, parent::parent, parent::leads_terminal, is_agent);
        match (asker, pid) {
            (Asker::Outside, Some(pid)) if parent::terminal(pid) == Terminal::None => Asker::Detached,
            (asker, _) => asker,
        }
    }

    fn asker_on(
        &self,
        pid: Option<u32>,
        parent: impl Fn(u32) -> Parent,
        leads_terminal: impl Fn(u32) -> bool,
        is_agent: impl Fn(u32) -> bool,
    ) -> Asker {
        let Some(mut pid) = pid.filter(|pid| *pid > 0) else {
            // The process is in a world of its own, a container for example.
            return Asker::Unknown;
        };
        let daemon = std::process::id();
        let mut below: Option<u32> = None;
        let mut below_agent = false;
        for _ in 0..MOST_STEPS {
            match self.lock().get(&pid) {
                Some(Owner::Agent(agent)) => return Asker::Inside { agent: agent.clone() },
                Some(Owner::Pane { surface, leader }) => {
                    let is_of_leader = below.is_some_and(|below| match leader.get() {
                        Some(leader) => below == *leader,
                        // The guard's word is still on its way: this can only be the program that it has just started.
                        None => leads_terminal(below),
                    });
                    return if below_agent || !is_of_leader {
                        Asker::InsidePane { surface: *surface }
                    } else {
                        Asker::Outside
                    };
                }
                None => {}
            }
            below_agent |= is_agent(pid);
            below = Some(pid);
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

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Owner>> {
        self.running
            .lock()
            .expect("nothing panics while it holds the guards")
    }
}

impl Drop for KnownGuard {
    fn drop(&mut self) {
        self.guards.lock().remove(&self.pid);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use pupitre_protocol::{AgentName, SurfaceId};

    use super::*;

    #[test]
    fn the_road_upwards_says_who_asks() {
        let guards = Guards::default();
        let name: AgentName = "demo".parse().expect("a name");
        let (guard, ()) = guards
            .begin(Owner::Agent(name.clone()), || Ok((Some(50), ())))
            .expect("nothing fails");
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
        let ask = |pid| guards.asker_on(pid, parent, |_| false, |_| false);
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

    #[test]
    fn in_a_pane_the_shell_is_outside_and_what_an_agent_runs_is_inside() {
        let guards = Guards::default();
        let surface = SurfaceId(7);
        let leader = Arc::new(OnceLock::new());
        let owner = Owner::Pane {
            surface,
            leader: Arc::clone(&leader),
        };
        let (_guard, ()) = guards.begin(owner, || Ok((Some(50), ()))).expect("nothing fails");
        let daemon = std::process::id();
        // The shell 60 runs a script 61 and the agent 70, which runs 71; 80 came to the guard when its parent ended.
        let parent = |pid| match pid {
            50 => Parent::Process(daemon),
            60 | 80 => Parent::Process(50),
            61 | 70 => Parent::Process(60),
            71 => Parent::Process(70),
            _ => Parent::Gone,
        };
        let ask = |pid| guards.asker_on(Some(pid), parent, |pid| pid == 60, |pid| pid == 70);
        // Also while nobody was told yet who the leader is.
        assert_eq!(ask(61), Asker::Outside);
        assert_eq!(ask(80), Asker::InsidePane { surface });
        leader.set(60).expect("it is set once");
        for outside in [60, 61] {
            assert_eq!(ask(outside), Asker::Outside, "{outside}");
        }
        for inside in [70, 71, 80] {
            assert_eq!(ask(inside), Asker::InsidePane { surface }, "{inside}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_test_is_outside() {
        let asker = Guards::default().asker(Some(std::process::id()));
        assert!(matches!(asker, Asker::Outside | Asker::Detached), "{asker:?}");
    }
}
