//! What the test binary is when a case starts it as something else.

use std::io::{Read, Write};
use std::process::ExitCode;

use super::guarded::{Guarded, SHORT};

/// A daemon with one agent that ignores the end of its stdin. It says the ids of the guard and the agent, and waits
/// to be killed.
pub(crate) fn daemon(tag: &str) -> ExitCode {
    let mut guarded = Guarded::start();
    tag.clone_into(&mut guarded.tag);
    let agent = guarded.run_script(SHORT, "setsid sleep 600.$1 & sleep 600.$1");
    say(&format!("{} {agent}", guarded.process.id()));
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    ExitCode::FAILURE
}

/// An agent whose first thread has ended: in process lists it looks dead.
#[expect(
    unsafe_code,
    reason = "ending one thread and not the process is a bare system call"
)]
pub(crate) fn shed_first_thread() -> ExitCode {
    say("ready");
    std::thread::spawn(|| {
        std::io::stdin()
            .read_to_end(&mut Vec::new())
            .map(|_| std::thread::park())
    });
    // SAFETY: it ends this thread at once; nothing on its stack is borrowed by the other one.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
    ExitCode::FAILURE
}

fn say(line: &str) {
    let mut stdout = std::io::stdout();
    stdout.write_all(format!("{line}\n").as_bytes()).unwrap();
    stdout.flush().unwrap();
}
