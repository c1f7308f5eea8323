//! A real pseudo-terminal with a real program on it.

#![expect(unsafe_code, reason = "a program gets its terminal between fork and exec")]

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use pupitre_guard::terminal::{Pty, take_control};
use pupitre_guard::wire::TerminalSize;
use pupitre_terminal::pty::{BATCH_BYTES, PtyRead, PtyStream};
use pupitre_terminal::{Keystroke, Screen, ScreenOptions, Size, text_input};

/// Starts a shell script on a new terminal, as the guard does for panes.
#[expect(
    clippy::disallowed_methods,
    reason = "the guard, which starts programs, is not part of this crate"
)]
fn start(script: &str, size: Size) -> (Child, PtyStream) {
    let Pty {
        terminal_side,
        program_side,
    } = Pty::open(TerminalSize {
        columns: size.columns() as u16,
        rows: size.rows() as u16,
    })
    .expect("a terminal can be opened");
    let stdio = |fd: &OwnedFd| fd.try_clone().expect("a descriptor can be copied");
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(script)
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    command
        .stdin(stdio(&program_side))
        .stdout(stdio(&program_side))
        .stderr(stdio(&program_side));
    let controlling = program_side.try_clone().expect("a descriptor can be copied");
    // SAFETY: both make one system call and allocate nothing.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            take_control(controlling.as_fd())
        })
    };
    let child = command.spawn().expect("the shell can be started");
    (
        child,
        PtyStream::new(terminal_side).expect("the descriptor can be watched"),
    )
}

/// Reads until `done` says so; fails with what was read after ten seconds.
async fn read_until(stream: &PtyStream, output: &mut Vec<u8>, done: impl Fn(&[u8]) -> bool) {
    let reading = async {
        while !done(output)
            && stream.read_batch(output).await.expect("the terminal can be read") != PtyRead::Closed
        {}
    };
    let in_time = tokio::time::timeout(Duration::from_secs(10), reading).await;
    assert!(
        in_time.is_ok() && done(output),
        "read only {:?}",
        String::from_utf8_lossy(output)
    );
}

fn has(part: &str) -> impl Fn(&[u8]) -> bool {
    move |output| output.windows(part.len()).any(|window| window == part.as_bytes())
}

#[tokio::test]
async fn a_program_leads_its_own_session_on_a_terminal_of_the_size_asked_for() {
    let (mut child, stream) = start(
        "stty size; test -t 0 && tty </dev/tty >/dev/null && echo controls",
        Size::new(91, 17),
    );
    let mut output = Vec::new();
    read_until(&stream, &mut output, has("controls")).await;
    assert!(has("17 91")(&output), "{:?}", String::from_utf8_lossy(&output));
    assert!(child.wait().expect("the shell ends").success());
}

#[tokio::test]
async fn a_new_size_reaches_the_program() {
    let (mut child, stream) = start(
        "trap 'stty size; exit' WINCH; echo ready; while :; do read line; done",
        Size::default(),
    );
    let mut output = Vec::new();
    read_until(&stream, &mut output, has("ready")).await;
    stream.set_size(Size::new(33, 11)).expect("the size can be set");
    read_until(&stream, &mut output, has("11 33")).await;
    child.wait().expect("the shell ends");
}

#[tokio::test]
async fn what_is_written_reaches_the_program() {
    let (mut child, stream) = start("read line; echo \"got <$line>\"", Size::default());
    let (mut output, mut rest) = (Vec::new(), b"hello\n".as_slice());
    while !rest.is_empty() {
        let written = stream.write(rest).await.expect("the terminal can be written");
        rest = &rest[written..];
    }
    read_until(&stream, &mut output, has("got <hello>")).await;
    assert!(child.wait().expect("the shell ends").success());
}

#[tokio::test]
async fn the_end_is_the_end_of_the_program_although_a_job_holds_the_terminal() {
    let (mut child, stream) = start("sleep 60 & echo job $!; exit 3", Size::default());
    let mut output = Vec::new();
    read_until(&stream, &mut output, has("job")).await;
    assert_eq!(child.wait().expect("the shell ends").code(), Some(3));
    stream
        .drain(&mut output, BATCH_BYTES)
        .expect("what is left can be read");
    let text = String::from_utf8_lossy(&output).into_owned();
    end_job(text.trim().rsplit(' ').next().unwrap_or_default());
}

/// Ends a job that outlived its shell.
fn end_job(number: &str) {
    let job = number.parse().ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(job.expect("the job has a number"), rustix::process::Signal::KILL)
        .expect("the job runs");
}

#[tokio::test]
async fn the_last_output_of_a_program_that_ends_at_once_is_kept() {
    let (mut child, stream) = start("seq 1 300", Size::default());
    child.wait().expect("the shell ends");
    let mut output = Vec::new();
    read_until(&stream, &mut output, has("\n300\r\n")).await;
    assert!(output.starts_with(b"1\r\n2\r\n"));
}

#[tokio::test]
async fn a_flood_waits_for_its_reader_and_comes_whole() {
    let (mut child, stream) = start("seq 1 50000", Size::new(80, 24));
    let mut screen = Screen::new(ScreenOptions::default());
    let mut lines = 0;
    let mut batch = Vec::new();
    let reading = async {
        while stream
            .read_batch(&mut batch)
            .await
            .expect("the terminal can be read")
            != PtyRead::Closed
        {
            assert!(batch.len() <= BATCH_BYTES);
            screen.feed_watched(&batch, Instant::now(), &mut |_| lines += 1);
            batch.clear();
        }
    };
    tokio::time::timeout(Duration::from_secs(60), reading)
        .await
        .expect("the flood ends");
    child.wait().expect("the shell ends");
    assert_eq!(lines + screen.visible_lines().len(), 50_000);
    assert_eq!(screen.read(1, 0).expect("there are lines").text, "50000");
}

#[tokio::test]
async fn who_is_in_the_foreground_is_known() {
    let (mut child, stream) = start("echo ready; read line", Size::default());
    let mut output = Vec::new();
    read_until(&stream, &mut output, has("ready")).await;
    assert_eq!(
        stream.foreground_group().expect("the shell is in the foreground"),
        child.id() as i32
    );
    stream.write(b"\n").await.expect("the terminal can be written");
    child.wait().expect("the shell ends");
}

/// Whatever a program wrote before it ended is there to be drained, although a job of it still holds the terminal.
#[tokio::test]
async fn last_words_are_there_once_the_program_has_ended() {
    for round in 0..40 {
        let (mut child, stream) = start("sleep 60 & echo $!; seq 1 200; echo last", Size::default());
        assert!(child.wait().expect("the shell ends").success());
        let mut output = Vec::new();
        stream
            .drain(&mut output, BATCH_BYTES)
            .expect("what is left can be read");
        let text = String::from_utf8(output).expect("the output is text");
        let (job, words) = text
            .split_once("\r\n")
            .expect("the first line is the job's number");
        end_job(job);
        let expected: String = (1..=200).map(|line| format!("{line}\r\n")).collect();
        assert_eq!(words, expected + "last\r\n", "round {round}");
    }
}

/// The descriptor may change hands in the middle of a flood, as from a guard to a daemon.
#[tokio::test]
async fn nothing_is_lost_when_the_descriptor_changes_hands() {
    let (mut child, stream) = start("seq 1 200000", Size::default());
    let mut output = Vec::new();
    read_until(&stream, &mut output, has("\n500\r\n")).await;
    let mut stream = stream;
    for _ in 0..5 {
        stream = PtyStream::new(stream.into_fd()).expect("the descriptor can be watched");
        let read = stream
            .read_batch(&mut output)
            .await
            .expect("the terminal can be read");
        assert_ne!(read, PtyRead::Closed);
    }
    read_until(&stream, &mut output, |output| output.ends_with(b"\n200000\r\n")).await;
    child.wait().expect("the shell ends");
    let expected: String = (1..=200_000).map(|line| format!("{line}\r\n")).collect();
    assert!(
        output == expected.as_bytes(),
        "{} of {} bytes",
        output.len(),
        expected.len()
    );
}

/// Feeds the screen and writes its answers until `done` says so; fails with what is shown after ten seconds.
async fn show_until(stream: &PtyStream, screen: &mut Screen, done: impl Fn(&Screen) -> bool) {
    let showing = async {
        let mut batch = Vec::new();
        while !done(screen)
            && stream
                .read_batch(&mut batch)
                .await
                .expect("the terminal can be read")
                != PtyRead::Closed
        {
            screen.feed(&batch, Instant::now());
            batch.clear();
            write_all(stream, &screen.take_replies()).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(10), showing).await;
    assert!(in_time.is_ok() && done(screen), "{:?}", screen.visible_lines());
}

async fn write_all(stream: &PtyStream, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let written = stream.write(bytes).await.expect("the terminal can be written");
        bytes = &bytes[written..];
    }
}

/// A shell takes staged text as one paste and runs none of it before Enter; keys do in its line what they say.
#[tokio::test]
async fn a_shell_takes_text_and_keys() {
    if !std::path::Path::new("/bin/bash").exists() {
        eprintln!("SKIPPED: no bash");
        return;
    }
    let (mut child, stream) = start(
        "TERM=xterm-256color PS1='ready> ' exec /bin/bash --norc --noprofile -i",
        Size::default(),
    );
    let mut screen = Screen::new(ScreenOptions::default());
    let shows = |text: &'static str| {
        move |screen: &Screen| {
            screen
                .visible_lines()
                .iter()
                .any(|line| line.text.ends_with(text))
        }
    };
    show_until(&stream, &mut screen, |screen| {
        shows("ready>")(screen) && screen.input_modes().bracketed_paste
    })
    .await;
    let staged = text_input("echo one-$((1+1))\necho two-$((2+2))x", &screen.input_modes());
    write_all(&stream, &staged.expect("the shell takes pastes")).await;
    show_until(&stream, &mut screen, shows("two-$((2+2))x")).await;
    for key in ["backspace", "ctrl-a", "right", "ctrl-e"] {
        let key: Keystroke = key.parse().expect("it names a keystroke");
        write_all(&stream, &key.bytes(&screen.input_modes())).await;
    }
    show_until(&stream, &mut screen, shows("two-$((2+2))")).await;
    let seen = screen.read(100, 0).expect("there are lines").text;
    assert!(!seen.contains("one-2"), "the shell ran what was staged: {seen}");
    let enter: Keystroke = "enter".parse().expect("it names a keystroke");
    write_all(&stream, &enter.bytes(&screen.input_modes())).await;
    show_until(&stream, &mut screen, |screen| {
        shows("one-2")(screen) && shows("two-4")(screen)
    })
    .await;
    write_all(&stream, b"exit\r").await;
    child.wait().expect("the shell ends");
}
