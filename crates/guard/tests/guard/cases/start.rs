//! How a program starts, what it gets, and what its end looks like.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::Stdio;

use pupitre_guard::wire::{GraceMs, GuardReport};
use rustix::process::Signal;

use super::{exited, killed};
use crate::guard::guarded::{Guarded, NEVER_MS, SHORT, command};

pub(crate) fn exit_codes_and_signals_are_reported() {
    fn check(script: &str, expected: &GuardReport) {
        let mut guarded = Guarded::start();
        let pid = guarded.run_script(SHORT, script);
        let reports = guarded.until_gone();
        assert_eq!(
            reports,
            [GuardReport::Started { pid }, expected.clone(), GuardReport::Gone],
            "{script}"
        );
    }
    check("exit 0", &exited(0));
    check("exit 3", &exited(3));
    check("exit 255", &exited(255));
    check("kill -9 $$", &killed(9));
    check("kill -TERM $$", &killed(15));
}

pub(crate) fn a_program_that_cannot_run_is_reported_and_leaves_nothing() {
    fn check(argv: &[&str], cwd: Option<&str>, expected: &str) {
        let mut guarded = Guarded::start();
        guarded.cwd = cwd.map(str::to_owned);
        guarded.ask_to_spawn(None, argv);
        assert_eq!(guarded.rest_of_output(), "");
        let error = expected.to_owned();
        assert_eq!(
            guarded.until_gone(),
            [GuardReport::SpawnFailed { error }, GuardReport::Gone]
        );
    }
    let folder = std::env::temp_dir().join(format!("guard-cannot-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("script").into_os_string().into_string().unwrap();
    std::fs::write(&script, "#!/nowhere/interpreter\n").unwrap();

    check(
        &["/nowhere/agent", "acp"],
        None,
        "cannot run \"/nowhere/agent\": No such file or directory (os error 2)",
    );
    check(
        &[&script],
        None,
        &format!("cannot run \"{script}\": Permission denied (os error 13)"),
    );
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, executable).unwrap();
    check(
        &[&script],
        None,
        &format!("cannot run \"{script}\": the interpreter named in its first line is missing"),
    );
    check(
        &["/bin/true"],
        Some("/nowhere"),
        "the working directory /nowhere does not exist",
    );
    check(
        &["/bin/true"],
        Some(&script),
        &format!("cannot enter the working directory {script}: Not a directory (os error 20)"),
    );
    check(&[], None, "no program given");
    std::fs::remove_dir_all(&folder).unwrap();
}

pub(crate) fn the_program_gets_what_it_was_given_and_nothing_else() {
    let mut guarded = Guarded::start();
    guarded.env = vec![("ONE".into(), "1 = one".into()), ("EMPTY".into(), String::new())];
    guarded.cwd = Some("/usr".into());
    let tag = guarded.tag.clone();
    // No shell in between, which would add something of its own.
    let pid = guarded.run(
        Some(SHORT),
        &["/usr/bin/cat", "/proc/self/environ", "-", "/dev/null"],
    );
    assert_eq!(
        std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap().to_str(),
        Some("/usr")
    );
    let descriptors: BTreeSet<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    // A fourth may be the file it reads; what it must not hold is the socket.
    let sockets = descriptors
        .iter()
        .filter_map(|number| std::fs::read_link(format!("/proc/{pid}/fd/{number}")).ok())
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count();
    assert_eq!(sockets, 0, "{descriptors:?}");
    assert!(
        ["0", "1", "2"].iter().all(|number| descriptors.contains(*number)),
        "{descriptors:?}"
    );
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let (group, session) = (fields[2], fields[3]);
    assert_eq!(
        (group, session),
        (pid.to_string().as_str(), pid.to_string().as_str())
    );

    writeln!(guarded.stdin.as_mut().unwrap(), "\nhello {tag}").unwrap();
    guarded.stop();
    assert_eq!(
        guarded.rest_of_output(),
        format!("EMPTY=\0ONE=1 = one\0\nhello {tag}\n")
    );
    assert_eq!(
        guarded.until_gone(),
        [GuardReport::Started { pid }, exited(0), GuardReport::Gone]
    );
}

pub(crate) fn ignored_signals_are_not_inherited() {
    let mut shell = command("/bin/sh");
    shell.args([
        "-c",
        "trap '' HUP INT QUIT USR1 CHLD TERM TTOU PIPE; exec \"$0\" guard",
    ]);
    shell.arg(std::env::current_exe().unwrap());
    let mut guarded = Guarded::start_as(shell);
    guarded.run(Some(SHORT), &["/usr/bin/cat", "/proc/self/status"]);
    let status = guarded.rest_of_output();
    for field in ["SigBlk:", "SigIgn:", "SigCgt:"] {
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        let set = u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap();
        // Signals 32 and 33 belong to the C library, which lets nobody touch them.
        assert_eq!(set & !(0b11 << 31), 0, "{line}");
    }
    assert_eq!(guarded.until_gone()[1..], [exited(0), GuardReport::Gone]);
}

pub(crate) fn pipes_end_with_the_last_process_that_holds_them() {
    let mut guarded = Guarded::start();
    let never = GraceMs {
        term: NEVER_MS,
        kill: NEVER_MS,
    };
    // The one that stays holds no pipe. The guard lives and must not hold one either.
    guarded.run_script(
        never,
        "sleep 600.$1 <&- >/dev/null 2>&1 & echo last words; exit 0",
    );
    assert_eq!(guarded.rest_of_output(), "last words\n");
    let mut errors = String::new();
    guarded
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(errors, "");
    let broken = loop {
        if let Err(error) = guarded.stdin.as_mut().unwrap().write_all(b"anybody?") {
            break error;
        }
    };
    assert_eq!(broken.kind(), std::io::ErrorKind::BrokenPipe);
    guarded.until(|report| *report == exited(0));
    guarded.signal_guard(Signal::TERM);
    guarded.until_gone();
}

pub(crate) fn what_the_guard_does_not_understand_is_reported() {
    let mut guarded = Guarded::start();
    guarded.say(r#"{"type":"spawn","argv":"not a list"}"#);
    let reports = guarded.until_gone();
    assert!(
        matches!(&reports[..], [GuardReport::SpawnFailed { error }, GuardReport::Gone] if error.contains("argv") || error.contains("sequence")),
        "{reports:?}"
    );

    let mut guarded = Guarded::start();
    guarded.run(Some(SHORT), &["/usr/bin/cat"]);
    guarded.say("what?");
    assert!(matches!(guarded.next(), GuardReport::Warning { .. }));
    guarded.ask_to_spawn(None, &["/usr/bin/true"]);
    assert!(matches!(guarded.next(), GuardReport::Warning { .. }));
    guarded.stop();
    assert_eq!(guarded.until_gone()[3..], [exited(0), GuardReport::Gone]);
}

pub(crate) fn without_a_daemon_there_is_no_guard() {
    let shell = command("/bin/sh")
        .args(["-c", "exec \"$0\" guard 3<&-"])
        .arg(std::env::current_exe().unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(shell.status.code(), Some(1));
    let told = String::from_utf8(shell.stderr).unwrap();
    assert!(
        told.starts_with("pupitre: guard is started by the daemon and by nobody else"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
}

pub(crate) fn a_guard_is_small() {
    let mut guarded = Guarded::start();
    let never = GraceMs {
        term: NEVER_MS,
        kill: NEVER_MS,
    };
    guarded.run(Some(never), &["/usr/bin/cat"]);
    let smaps = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", guarded.process.id())).unwrap();
    // What is its own, whatever the state of the files behind the rest: heap, stack, and written pages of its image.
    let anonymous = smaps.lines().find(|line| line.starts_with("Anonymous:")).unwrap();
    let own_kib: u64 = anonymous.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((1..1024).contains(&own_kib), "{own_kib} KiB");
    let name = std::fs::read_to_string(format!("/proc/{}/comm", guarded.process.id())).unwrap();
    assert_eq!(name.trim_end(), "pupitre-guard");
    guarded.stop();
    guarded.until_gone();
}
