//! The tree on Linux. The guard is a child subreaper: who loses its parent becomes the guard's child, so the
//! children of the guard and theirs, and so on, are all that the agent ever started, whatever sessions, groups or
//! environments they gave themselves. The tree is empty exactly when the guard has no child.
//!
//! No signal may reach a process that is not of the tree, and process ids are reused. A child of the guard keeps
//! its id until the guard waits for it, which never happens during a look, so its id can be trusted. Everyone
//! deeper is held by a pidfd first and checked after: if it still has the parent it was seen with, and that parent
//! is still the process that was recognized, it is of the tree, and the signal goes to the pidfd and no number.
//!
//! SIGKILL goes to whole process groups first. The kernel does that in one step, so no fork escapes it, whereas a
//! walk never catches up with processes that double in number while it gets its turn once in a thousand. A child's
//! group can be trusted as its id can, and is wholly of the tree: the leader began a session, no group spans two
//! sessions, and nobody enters a session but by being forked in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
    set_child_subreaper, set_parent_process_death_signal,
};

use super::{Leader, Look, TreeSignal, number};

/// How long one look goes on walking as long as each walk finds new processes. Walks go from low ids to high ones, as
/// new ids do, so a walk overtakes whoever flees by forking; the rest is for the next look, after the dead have been
/// waited for.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// The tree below this process.
#[derive(Debug)]
pub(crate) struct Tree {
    guard: u32,
    /// The guard's own process group, which is spared.
    group: u32,
}

impl Tree {
    /// Makes this process the root: child subreaper, and named so in process lists.
    pub(crate) fn adopt() -> io::Result<Self> {
        let guard = rustix::process::getpid();
        set_child_subreaper(Some(guard))?;
        rustix::thread::set_name(c"pupitre-guard")?;
        Ok(Self {
            guard: number(guard),
            group: number(rustix::process::getpgrp()),
        })
    }

    /// Returns whether anybody is left once the guard has no child: here never.
    pub(crate) fn outlives_children(&self, _leader: Leader) -> bool {
        false
    }

    /// Sends a signal to every process of the tree that is alive.
    ///
    /// Fails when processes cannot be listed, and then has sent it to the leader, if there still is one.
    pub(crate) fn signal(&self, signal: TreeSignal, leader: Leader) -> io::Result<Look> {
        let mut seen = Seen::default();
        // The leader is known without a walk, and most of the tree is in its group.
        if let Leader::Running(leader) = leader
            && let Some(process) = Process::read(number(leader))
        {
            self.take(signal, &process, &mut seen);
        }
        let begun = Instant::now();
        loop {
            match self.walk(signal, &mut seen) {
                Ok(Found::Somebody) if begun.elapsed() < LONGEST_LOOK => {}
                Ok(Found::Somebody | Found::Nobody) => return Ok(seen.look),
                Err(error) => {
                    if let Leader::Running(leader) = leader {
                        kill_process(leader, signal.signal())?;
                    }
                    return Err(error);
                }
            }
        }
    }

    fn walk(&self, signal: TreeSignal, seen: &mut Seen) -> io::Result<Found> {
        let mut found = Found::Nobody;
        for entry in std::fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let Some(process) = Process::read(pid) else {
                continue;
            };
            if seen.ours.get(&pid) == Some(&process.started) || !self.is_parent_of(&process, &seen.ours) {
                continue;
            }
            if self.take(signal, &process, seen) == Found::Somebody {
                found = Found::Somebody;
            }
        }
        Ok(found)
    }

    fn take(&self, signal: TreeSignal, process: &Process, seen: &mut Seen) -> Found {
        match self.send(signal, process, &seen.ours) {
            Sent::Yes => seen.look.signalled.push(process.pid),
            Sent::Dead => {}
            Sent::Refused => seen.look.refused.push(process.pid),
            Sent::NotOurs => return Found::Nobody,
        }
        if signal == TreeSignal::Kill && process.parent == self.guard {
            self.kill_group(process.group, seen);
        }
        seen.ours.insert(process.pid, process.started);
        Found::Somebody
    }

    /// Kills the process group of a child of the guard, once in a look. Whoever may not be killed is found and named by
    /// the walk, so a refusal says nothing new here.
    fn kill_group(&self, group: u32, seen: &mut Seen) {
        if group != self.group
            && seen.groups.insert(group)
            && let Some(group) = pid_of(group)
        {
            kill_process_group(group, Signal::KILL).ok();
        }
    }

    fn is_parent_of(&self, process: &Process, ours: &BTreeMap<u32, u64>) -> bool {
        process.parent == self.guard || ours.contains_key(&process.parent)
    }

    fn send(&self, signal: TreeSignal, process: &Process, ours: &BTreeMap<u32, u64>) -> Sent {
        let Some(pid) = pid_of(process.pid) else {
            return Sent::NotOurs;
        };
        if process.parent == self.guard {
            return process.sent(signal, |signal| kill_process(pid, signal));
        }
        // Without pidfds (Linux before 5.3, some sandboxes) nobody deeper can be signalled safely. SIGKILL still
        // gets them all, one generation after another, as each becomes the guard's child.
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            return Sent::NotOurs;
        };
        let Some(again) = Process::read(process.pid) else {
            return Sent::NotOurs;
        };
        if again.started != process.started {
            return Sent::NotOurs;
        }
        let parent_is_ours = again.parent == self.guard
            || ours.get(&again.parent).is_some_and(|started| {
                Process::read(again.parent).is_some_and(|parent| parent.started == *started)
            });
        if !parent_is_ours {
            return Sent::NotOurs;
        }
        again.sent(signal, |signal| pidfd_send_signal(&handle, signal))
    }
}

/// Runs in the child between `fork` and `exec`: asks the kernel for SIGKILL when the guard dies.
///
/// This reaches the leader only, and not through a program with elevated rights. What the leader started loses its
/// stdin or its parent, no more.
pub(crate) fn prepare_child(guard: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // A guard that died before the line above is not noticed by the kernel any more.
    if rustix::process::getppid() != Some(guard) {
        return Err(io::Error::from_raw_os_error(Errno::SRCH.raw_os_error()));
    }
    Ok(())
}

/// What one look has found so far.
#[derive(Default)]
struct Seen {
    /// Who was recognized as of the tree, by id, with its start time: the two together are never reused.
    ours: BTreeMap<u32, u64>,
    /// The groups that were killed.
    groups: BTreeSet<u32>,
    look: Look,
}

/// Whether anybody of the tree was met for the first time.
#[derive(PartialEq, Eq)]
enum Found {
    Nobody,
    Somebody,
}

/// What became of one signal.
enum Sent {
    Yes,
    /// It has ended and only its parent's waiting for it is missing.
    Dead,
    Refused,
    NotOurs,
}

/// What `/proc/PID/stat` says of one process.
struct Process {
    pid: u32,
    state: u8,
    parent: u32,
    group: u32,
    threads: u32,
    /// In clock ticks since the machine started.
    started: u64,
}

impl Process {
    /// Returns nothing for a process that does not exist, or is hidden from us and so not ours to signal.
    fn read(pid: u32) -> Option<Self> {
        let mut bytes = [0_u8; 1024];
        let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
        let length = file.read(&mut bytes).ok()?;
        Self::parse(pid, &bytes[..length])
    }

    /// Reads the fields after the program's name, which is in parentheses and may contain anything (proc(5)).
    fn parse(pid: u32, stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let threads = fields.nth(14)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        Some(Self {
            pid,
            state,
            parent,
            group,
            threads,
            started,
        })
    }

    fn sent(&self, signal: TreeSignal, send: impl Fn(Signal) -> Result<(), Errno>) -> Sent {
        // A process whose first thread has ended looks dead while its other threads run.
        if self.state == b'Z' && self.threads <= 1 {
            return Sent::Dead;
        }
        let mut result = send(signal.signal());
        if result.is_ok() && signal == TreeSignal::Terminate && self.state == b'T' {
            result = send(Signal::CONT);
        }
        match result {
            Ok(()) => Sent::Yes,
            Err(Errno::SRCH) => Sent::Dead,
            Err(_) => Sent::Refused,
        }
    }
}

fn pid_of(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stat: &str, expected: Option<(u8, u32, u32, u32, u64)>) {
        let process = Process::parse(7, stat.as_bytes());
        assert_eq!(
            process.map(|p| (p.state, p.parent, p.group, p.threads, p.started)),
            expected,
            "{stat:?}"
        );
    }

    #[test]
    fn a_stat_line_is_read_whatever_the_program_calls_itself() {
        let rest = "S 41 6 7 0 -1 4194560 101 0 0 0 0 0 0 0 20 0 3 0 98765 2396160 208 18446744073709551615";
        let expected = Some((b'S', 41, 6, 3, 98765));
        check(&format!("7 (sleep) {rest}"), expected);
        check(&format!("7 (a b) {rest}"), expected);
        check(&format!("7 (x) Z 1 9) {rest}"), expected);
        check(&format!("7 ((\n)) {rest}"), expected);
        check("7 (sleep) S 41", None);
        check("", None);
    }

    #[test]
    fn this_process_has_its_parent() {
        let me = Process::read(std::process::id()).unwrap();
        assert_eq!(me.parent, std::os::unix::process::parent_id());
        assert!(me.started > 0);
    }
}
