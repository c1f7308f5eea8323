//! A process's parent, as the system tells it.

use super::ancestry::Parent;

/// Returns the parent of a process (proc_pid_stat(5): the fourth field, after the name in parentheses).
#[cfg(target_os = "linux")]
pub(super) fn parent(pid: u32) -> Parent {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return Parent::Gone;
    };
    // The name may hold spaces and parentheses of its own.
    let after_name = stat.rsplit_once(") ").map(|(_, rest)| rest);
    after_name
        .and_then(|rest| rest.split(' ').nth(1)?.parse().ok())
        .map_or(Parent::Gone, Parent::Process)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn parent(_pid: u32) -> Parent {
    Parent::Untold
}
