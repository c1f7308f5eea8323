//! The client against a daemon that is a listener and a script in this process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use pupitre_protocol::agent::AgentParams;
use pupitre_protocol::conversation::SendParams;
use pupitre_protocol::event::{Event, SubscribeParams};
use pupitre_protocol::limits::REQUEST_BYTES;
use pupitre_protocol::method::{agent, chat, system};
use pupitre_protocol::system::{Empty, IdentifyReply};
use pupitre_protocol::{Epoch, ErrorKind};

use crate::{CallError, Client, ConnectError, Incompatible, StreamError, check_identity};

/// A daemon that serves one connection with `script` and returns what the script returns.
struct ScriptedDaemon<T> {
    folder: tempfile::TempDir,
    thread: JoinHandle<T>,
}

impl<T: Send + 'static> ScriptedDaemon<T> {
    fn start(script: impl FnOnce(BufReader<UnixStream>) -> T + Send + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = UnixListener::bind(socket_in(folder.path())).expect("a listener");
        let thread = thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a connection");
            script(BufReader::new(stream))
        });
        Self { folder, thread }
    }

    fn connect(&self) -> Client {
        Client::connect(&socket_in(self.folder.path())).expect("the daemon listens")
    }

    fn end(self) -> T {
        self.thread.join().expect("the script went to its end")
    }
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join("s")
}

fn read(stream: &mut BufReader<UnixStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a line");
    line.trim_end().to_owned()
}

fn write(stream: &mut BufReader<UnixStream>, line: &str) {
    stream
        .get_mut()
        .write_all(format!("{line}\n").as_bytes())
        .expect("the client reads");
}

/// Answers one call with this line and closes.
fn one_answer(line: &'static str) -> ScriptedDaemon<String> {
    ScriptedDaemon::start(move |mut stream| {
        let request = read(&mut stream);
        write(&mut stream, line);
        request
    })
}

const SUBSCRIBED: &str = r#"{"type":"subscribed","epoch":"e","seq":4,"ts":9,"cursor":"e:4"}"#;
const HEARTBEAT: &str = r#"{"type":"heartbeat","epoch":"e","seq":4,"ts":9}"#;

#[test]
fn a_call_is_one_line_out_and_its_result_in() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        let first = read(&mut stream);
        write(&mut stream, r#"{"jsonrpc":"2.0","id":1,"result":{"ts":7}}"#);
        let second = read(&mut stream);
        write(
            &mut stream,
            r#"{"jsonrpc":"2.0","id":2,"result":{"lines":[],"truncated":false}}"#,
        );
        (first, second)
    });
    let mut client = daemon.connect();
    assert_eq!(client.call::<system::Ping>(&Empty {}).expect("an answer").ts, 7);
    let demo = AgentParams {
        agent: "demo".parse().expect("a name"),
    };
    assert!(
        client
            .call::<agent::Logs>(&demo)
            .expect("an answer")
            .lines
            .is_empty()
    );
    let (first, second) = daemon.end();
    assert_eq!(
        first,
        r#"{"jsonrpc":"2.0","id":1,"method":"system.ping","params":{}}"#
    );
    assert_eq!(
        second,
        r#"{"jsonrpc":"2.0","id":2,"method":"agent.logs","params":{"agent":"demo"}}"#
    );
}

#[test]
fn an_error_keeps_its_kind_and_candidates() {
    let daemon = one_answer(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"no agent","data":{"kind":"not_found","candidates":["demo"]}}}"#,
    );
    match daemon.connect().call::<system::Ping>(&Empty {}) {
        Err(CallError::Rpc(error)) => {
            assert_eq!(error.kind(), Some(ErrorKind::NotFound));
            assert_eq!(
                error.data.and_then(|data| data.candidates),
                Some(vec!["demo".to_owned()])
            );
        }
        other => panic!("{other:?}"),
    }
    daemon.end();
}

#[test]
fn a_refused_connection_says_why() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        write(
            &mut stream,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"full","data":{"kind":"too_many_connections"}}}"#,
        );
    });
    let mut client = daemon.connect();
    // The connection is closed before the request is written.
    daemon.thread.join().expect("the script went to its end");
    match client.call::<system::Ping>(&Empty {}) {
        Err(CallError::Rpc(error)) => assert_eq!(error.kind(), Some(ErrorKind::TooManyConnections)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn replies_that_cannot_be_ours_are_errors() {
    for line in [
        r#"{"jsonrpc":"2.0","id":2,"result":{"ts":7}}"#,
        r#"{"jsonrpc":"2.0","result":{"ts":7}}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "no JSON",
    ] {
        let daemon = one_answer(line);
        let outcome = daemon.connect().call::<system::Ping>(&Empty {});
        assert!(
            matches!(outcome, Err(CallError::BadReply { .. })),
            "{line}: {outcome:?}"
        );
        daemon.end();
    }
}

#[test]
fn a_daemon_that_goes_away_is_told_from_one_that_answers() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        read(&mut stream);
        // Half an answer is none.
        stream
            .get_mut()
            .write_all(br#"{"jsonrpc":"2.0","id":1,"re"#)
            .expect("the client reads");
    });
    let outcome = daemon.connect().call::<system::Ping>(&Empty {});
    assert!(
        matches!(
            outcome,
            Err(CallError::Disconnected {
                method: "system.ping"
            })
        ),
        "{outcome:?}"
    );
    daemon.end();
}

#[test]
fn a_request_over_the_limit_is_never_sent() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        let request = read(&mut stream);
        write(&mut stream, r#"{"jsonrpc":"2.0","id":2,"result":{"ts":7}}"#);
        request
    });
    let mut client = daemon.connect();
    let params = SendParams {
        agent: "demo".parse().expect("a name"),
        text: "x".repeat(REQUEST_BYTES),
        attachments: Vec::new(),
        uploads: Vec::new(),
    };
    let outcome = client.call::<chat::Send>(&params);
    assert!(
        matches!(outcome, Err(CallError::TooLarge { bytes }) if bytes > REQUEST_BYTES),
        "{outcome:?}"
    );
    // The connection is still good.
    assert_eq!(client.call::<system::Ping>(&Empty {}).expect("an answer").ts, 7);
    assert!(daemon.end().contains("system.ping"));
}

#[test]
fn a_subscription_gives_frames_and_keeps_unknown_ones_raw() {
    let unknown = r#"{"type":"moon:rose","epoch":"e","seq":5,"ts":9,"phase":"full"}"#;
    let daemon = ScriptedDaemon::start(move |mut stream| {
        read(&mut stream);
        for line in [SUBSCRIBED, unknown, HEARTBEAT] {
            write(&mut stream, line);
        }
    });
    let stream = daemon
        .connect()
        .subscribe(&SubscribeParams::default())
        .expect("a stream");
    let received: Vec<_> = stream.map(|received| received.expect("a frame")).collect();
    let lines: Vec<_> = received.iter().map(|received| received.line.as_str()).collect();
    assert_eq!(lines, [SUBSCRIBED, unknown, HEARTBEAT]);
    let events: Vec<_> = received
        .into_iter()
        .filter_map(|received| received.frame)
        .map(|frame| frame.event)
        .collect();
    assert!(
        matches!(events.as_slice(), [Event::Subscribed(_), Event::Heartbeat(_)]),
        "{events:?}"
    );
    daemon.end();
}

#[test]
fn lines_can_be_taken_unread() {
    let broken = r#"{"type":"dropped"}"#;
    let daemon = ScriptedDaemon::start(move |mut stream| {
        read(&mut stream);
        stream
            .get_mut()
            .write_all(format!("{SUBSCRIBED}\n{broken}\n").as_bytes())
            .expect("the client reads");
    });
    let mut stream = daemon
        .connect()
        .subscribe(&SubscribeParams::default())
        .expect("a stream");
    for (line, more) in [(SUBSCRIBED, true), (broken, false)] {
        assert_eq!(stream.next_line().expect("a line").expect("no error"), line);
        assert_eq!(stream.has_line(), more, "{line}");
    }
    assert!(stream.next_line().is_none());
    daemon.end();
}

#[test]
fn a_frame_that_is_broken_is_an_error_and_no_unknown_type() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        read(&mut stream);
        write(&mut stream, SUBSCRIBED);
        write(&mut stream, r#"{"type":"dropped","epoch":"e","seq":5,"ts":9}"#);
    });
    let mut stream = daemon
        .connect()
        .subscribe(&SubscribeParams::default())
        .expect("a stream");
    assert!(stream.next().is_some_and(|first| first.is_ok()));
    assert!(matches!(stream.next(), Some(Err(StreamError::BadFrame { .. }))));
    daemon.end();
}

#[test]
fn a_refused_subscription_is_the_daemons_error() {
    let daemon = one_answer(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such agent","data":{"kind":"invalid_params"}}}"#,
    );
    match daemon.connect().subscribe(&SubscribeParams::default()) {
        Err(StreamError::Call(CallError::Rpc(error))) => {
            assert_eq!(error.kind(), Some(ErrorKind::InvalidParams))
        }
        other => panic!("{other:?}"),
    }
    daemon.end();
}

#[test]
fn a_blocked_subscription_is_ended_from_another_thread() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        read(&mut stream);
        write(&mut stream, SUBSCRIBED);
        // Silent until the client hangs up.
        read(&mut stream)
    });
    let stream = daemon
        .connect()
        .subscribe(&SubscribeParams::default())
        .expect("a stream");
    let closer = stream.closer().expect("a second handle");
    let reader = thread::spawn(move || stream.map(|received| received.is_ok()).collect::<Vec<_>>());
    closer.close().expect("the stream is open");
    assert!(
        reader
            .join()
            .expect("the reader ends")
            .into_iter()
            .all(|good| good)
    );
    assert_eq!(daemon.end(), "");
    closer.close().expect("closing twice is closing once");
}

#[test]
fn waiting_for_the_end_waits_for_the_daemon_to_close() {
    let daemon = ScriptedDaemon::start(|mut stream| {
        read(&mut stream);
        write(&mut stream, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    });
    let mut client = daemon.connect();
    client.call::<system::Shutdown>(&Empty {}).expect("an answer");
    client.wait_until_closed().expect("the end");
    daemon.end();
}

#[test]
fn what_cannot_be_connected_to_has_a_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let nothing = folder.path().join("nothing");
    assert!(matches!(
        Client::connect(&nothing),
        Err(ConnectError::NoDaemon { .. })
    ));
    // A socket that its listener left behind.
    let stale = folder.path().join("stale");
    drop(UnixListener::bind(&stale).expect("a listener"));
    assert!(matches!(
        Client::connect(&stale),
        Err(ConnectError::NoDaemon { .. })
    ));
    let long = folder.path().join("x".repeat(200));
    assert!(matches!(
        Client::connect(&long),
        Err(ConnectError::TooLong { .. })
    ));
}

#[test]
fn another_protocol_or_program_is_told_in_one_sentence() {
    let daemon = |name: &str, protocol: u32| IdentifyReply {
        name: name.to_owned(),
        version: "0.9.0".to_owned(),
        protocol,
        epoch: Epoch("e".to_owned()),
        pid: 1,
        started_at: 0,
        config_path: String::new(),
        config_error: None,
        log_path: String::new(),
        home: String::new(),
    };
    let version = || "0.9.0".to_owned();
    let check = |identity: &IdentifyReply, expected: Result<(), Incompatible>| {
        assert_eq!(check_identity(identity), expected);
    };
    check(&daemon("pupitre", pupitre_protocol::PROTOCOL), Ok(()));
    check(
        &daemon("pupitre", pupitre_protocol::PROTOCOL - 1),
        Err(Incompatible::OlderDaemon { daemon: version() }),
    );
    check(
        &daemon("pupitre", pupitre_protocol::PROTOCOL + 1),
        Err(Incompatible::NewerDaemon { daemon: version() }),
    );
    check(
        &daemon("other", 1),
        Err(Incompatible::AnotherProgram {
            name: "other".to_owned(),
        }),
    );
}
