//! The guard against real processes. This binary has no test harness of the compiler's, because it is also what
//! the tests start: a guard (`guard`), a daemon that gets killed (`daemon`), an agent that sheds its first thread.

#![expect(
    clippy::unwrap_used,
    reason = "all of it is test, which clippy cannot see without `#[test]`"
)]

#[cfg(target_os = "linux")]
mod guard {
    pub(crate) mod cases;
    pub(crate) mod guarded;
    pub(crate) mod roles;
}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("guard") => pupitre_guard::run(),
        Some("daemon") => guard::roles::daemon(&arguments[2]),
        Some("shed-first-thread") => guard::roles::shed_first_thread(),
        _ => libtest_mimic::run(&libtest_mimic::Arguments::from_args(), guard::cases::all()).exit_code(),
    }
}

/// The cases look at `/proc`, and most are about a subreaper, which other systems do not have.
#[cfg(not(target_os = "linux"))]
fn main() {}
