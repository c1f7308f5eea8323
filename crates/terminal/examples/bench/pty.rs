//! The same program on a pseudo-terminal of ours, before a reader that discards, and in tmux.

use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Instant;

use pupitre_guard::terminal::{Pty, take_control};
use pupitre_guard::wire::TerminalSize;
use pupitre_terminal::pty::{PtyRead, PtyStream};
use pupitre_terminal::{Screen, ScreenOptions};

use super::corpora::corpora;
use super::figure::{self, AtMost, Measured};
use super::size;
use super::tmux::Tmux;

const ROUNDS: usize = 4;
const CORPUS_BYTES: usize = 16 << 20;

pub(crate) fn beside_others() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .expect("a runtime can be built");
    for (name, bytes) in corpora(CORPUS_BYTES) {
        let path = std::env::temp_dir().join(format!("pupitre-bench-{}", std::process::id()));
        std::fs::File::create(&path)
            .and_then(|mut file| file.write_all(&bytes))
            .expect("a file can be written");
        let (mut bare, mut engine, mut tmux) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let reader = runtime.block_on(read(&path, &mut |_| {}));
            let mut screen = Screen::new(ScreenOptions {
                size: size(),
                ..ScreenOptions::default()
            });
            let ours = runtime.block_on(read(&path, &mut |batch| screen.feed(batch, Instant::now())));
            // The first round only warms up.
            if round > 0 {
                bare.push(reader);
                engine.push(ours);
                tmux.extend(in_tmux(&path));
            }
        }
        std::fs::remove_file(&path).expect("the file is there");
        let what = format!("`cat` of 16 MiB of {name} on a pseudo-terminal, wall time");
        let engine = Measured::Seconds(engine);
        if tmux.is_empty() {
            figure::print(
                &format!("{what} (SKIPPED: tmux is not here)"),
                &engine,
                None,
                None,
            );
        } else {
            let tmux = Measured::Seconds(tmux);
            figure::print(
                &what,
                &engine,
                Some(("tmux", &tmux)),
                Some(AtMost::TimesPeer(1.0)),
            );
        }
        let bare = Measured::Seconds(bare);
        let peer = Some(("a reader that discards", &bare));
        figure::print(&what, &engine, peer, Some(AtMost::TimesPeer(2.0)));
    }
}

/// Returns the seconds until all output of `cat` was worked on.
async fn read(path: &Path, work: &mut dyn FnMut(&[u8])) -> f64 {
    let begin = Instant::now();
    let (mut child, stream) = cat(path);
    let mut batch = Vec::new();
    while stream
        .read_batch(&mut batch)
        .await
        .expect("the terminal can be read")
        != PtyRead::Closed
    {
        work(&batch);
        batch.clear();
    }
    child.wait().expect("cat ends");
    begin.elapsed().as_secs_f64()
}

#[expect(unsafe_code, reason = "a program gets its terminal between fork and exec")]
#[expect(
    clippy::disallowed_methods,
    reason = "a bench starts the program that it measures with"
)]
fn cat(path: &Path) -> (Child, PtyStream) {
    let Pty {
        terminal_side,
        program_side,
    } = Pty::open(TerminalSize {
        columns: size().columns() as u16,
        rows: size().rows() as u16,
    })
    .expect("a terminal can be opened");
    let copy = |fd: &OwnedFd| fd.try_clone().expect("a descriptor can be copied");
    let controlling = copy(&program_side);
    let mut command = Command::new("cat");
    command
        .arg(path)
        .stdin(copy(&program_side))
        .stdout(copy(&program_side))
        .stderr(copy(&program_side));
    // SAFETY: both make one system call and allocate nothing.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            take_control(controlling.as_fd())
        })
    };
    let child = command.spawn().expect("cat can be started");
    (
        child,
        PtyStream::new(terminal_side).expect("the descriptor can be watched"),
    )
}

/// Returns the seconds that tmux takes, or nothing when it is not here.
fn in_tmux(path: &Path) -> Option<f64> {
    let tmux = Tmux::start("sleep 600")?;
    let begin = Instant::now();
    let script = format!(
        "cat {}; tmux -L {} wait-for -S done",
        path.display(),
        tmux.server()
    );
    let ended = tmux.runs(&["new-window", "-d", &script]) && tmux.runs(&["wait-for", "done"]);
    ended.then(|| begin.elapsed().as_secs_f64())
}
