//! A process's parent and terminal, as the system tells them.

use super::ancestry::Parent;

/// Whether a process has a controlling terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminal {
    Some,
    None,
    /// The process is gone, or the system does not tell.
    Untold,
}

/// Returns the parent of a process (proc_pid_stat(5): the fourth field, after the name in parentheses).
#[cfg(target_os = "linux")]
pub(super) fn parent(pid: u32) -> Parent {
    field(pid, 1).map_or(Parent::Gone, Parent::Process)
}

/// Returns the process group of a process (proc_pid_stat(5): the fifth field).
#[cfg(target_os = "linux")]
pub(super) fn group(pid: u32) -> Option<u32> {
    field(pid, 2)
}

/// Says whether a process leads a session that has a controlling terminal (proc_pid_stat(5): the sixth field and the
/// seventh).
#[cfg(target_os = "linux")]
pub(super) fn leads_terminal(pid: u32) -> bool {
    field::<u32>(pid, 3) == Some(pid) && terminal(pid) == Terminal::Some
}

/// Says whether a process has a controlling terminal (proc_pid_stat(5): the seventh field, 0 without one).
#[cfg(target_os = "linux")]
pub(super) fn terminal(pid: u32) -> Terminal {
    match field::<i64>(pid, 4) {
        Some(0) => Terminal::None,
        Some(_) => Terminal::Some,
        None => Terminal::Untold,
    }
}

/// Returns a field of what the system tells, counted from the one after the name in parentheses.
#[cfg(target_os = "linux")]
fn field<Field: std::str::FromStr>(pid: u32, index: usize) -> Option<Field> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold spaces and parentheses of its own.
    let (_, after_name) = stat.rsplit_once(") ")?;
    after_name.split(' ').nth(index)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn parent(_pid: u32) -> Parent {
    Parent::Untold
}

#[cfg(not(target_os = "linux"))]
pub(super) fn leads_terminal(_pid: u32) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(super) fn terminal(_pid: u32) -> Terminal {
    Terminal::Untold
}
