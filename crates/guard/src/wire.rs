//! What the daemon and a guard say to each other: one JSON object a line, both ways, over the guard's
//! descriptor 3. The shapes only; `control` moves them. Both ends are the same binary, so the types need no
//! versions.

use serde::{Deserialize, Serialize};

/// What the daemon asks of a guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GuardRequest {
    /// Start the one program this guard is for, on the guard's descriptors 0, 1 and 2.
    Spawn {
        /// The program and its arguments. The first is a path: the guard searches no PATH of its own.
        argv: Vec<String>,
        /// Where the program starts; the guard's own directory, which is the daemon's, when absent.
        cwd: Option<String>,
        /// The complete environment; nothing of the guard's own is added.
        env: Vec<(String, String)>,
        /// Shorter waits for tests; [`crate::Grace::default`] when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grace_ms: Option<GraceMs>,
        /// Start it on a pseudo-terminal of this size instead, which is handed over with [`GuardReport::Terminal`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terminal: Option<TerminalSize>,
    },
    /// End the tree now: SIGTERM at once, then SIGKILL.
    Terminate,
    /// Begin the ladder now. The daemon has closed the agent's stdin, or does so at once; a terminal hangs up.
    Stop,
}

/// The size of a terminal in character cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}

/// The two waits of the ladder, in milliseconds, each counted from the step before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraceMs {
    /// From the beginning of the ladder to SIGTERM.
    pub term: u64,
    /// From SIGTERM to SIGKILL.
    pub kill: u64,
}

/// What a guard tells the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GuardReport {
    /// This line carries the descriptor of the terminal's side; the first report of a guard that was given a size.
    Terminal,
    /// The program runs: its image was loaded, so nothing of `spawn` can fail any more.
    Started {
        /// The leader: process id, and id of its session and process group.
        pid: u32,
    },
    /// The program does not run and left nothing; `gone` follows.
    SpawnFailed {
        /// Why, in plain words, naming the program or the directory.
        error: String,
    },
    /// The leader has ended. What it started may live on until `gone`.
    Exited {
        /// Its exit code, unless a signal ended it.
        code: Option<i32>,
        /// The signal that ended it, unless it exited.
        signal: Option<i32>,
    },
    /// Another process of the tree has ended in the guard's care. One that its own parent waited for is not
    /// reported, and a daemon that does not read loses these first.
    Reaped {
        /// Its process id, free for reuse from now on.
        pid: u32,
        /// Its exit code, unless a signal ended it.
        code: Option<i32>,
        /// The signal that ended it, unless it exited.
        signal: Option<i32>,
    },
    /// The ladder climbed: these processes were sent this signal. Long lists come in several reports.
    Signalled {
        /// 15 or 9.
        signal: i32,
        /// Those not named in the look just before. Who dies with its process group may go unnamed.
        pids: Vec<u32>,
    },
    /// Something the guard could not do, and went on without.
    Warning {
        /// What, in plain words.
        message: String,
    },
    /// Nothing of the tree lives; the guard exits with 0.
    Gone,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_request(json: &str, expected: &GuardRequest) {
        assert_eq!(&serde_json::from_str::<GuardRequest>(json).unwrap(), expected);
        assert_eq!(serde_json::to_string(expected).unwrap(), json);
    }

    fn check_report(report: &GuardReport, expected: &str) {
        assert_eq!(serde_json::to_string(report).unwrap(), expected);
        assert_eq!(&serde_json::from_str::<GuardReport>(expected).unwrap(), report);
    }

    #[test]
    fn requests_have_their_shape() {
        check_request(r#"{"type":"stop"}"#, &GuardRequest::Stop);
        check_request(r#"{"type":"terminate"}"#, &GuardRequest::Terminate);
        check_request(
            r#"{"type":"spawn","argv":["/bin/sh","-c","exit 3"],"cwd":null,"env":[["A","1"],["B",""]]}"#,
            &GuardRequest::Spawn {
                argv: vec!["/bin/sh".into(), "-c".into(), "exit 3".into()],
                cwd: None,
                env: vec![("A".into(), "1".into()), ("B".into(), String::new())],
                grace_ms: None,
                terminal: None,
            },
        );
        check_request(
            r#"{"type":"spawn","argv":["/a"],"cwd":"/tmp","env":[],"grace_ms":{"term":1,"kill":2}}"#,
            &GuardRequest::Spawn {
                argv: vec!["/a".into()],
                cwd: Some("/tmp".into()),
                env: Vec::new(),
                grace_ms: Some(GraceMs { term: 1, kill: 2 }),
                terminal: None,
            },
        );
    }

    #[test]
    fn a_terminal_has_its_size() {
        check_request(
            r#"{"type":"spawn","argv":["/a"],"cwd":null,"env":[],"terminal":{"columns":80,"rows":24}}"#,
            &GuardRequest::Spawn {
                argv: vec!["/a".into()],
                cwd: None,
                env: Vec::new(),
                grace_ms: None,
                terminal: Some(TerminalSize {
                    columns: 80,
                    rows: 24,
                }),
            },
        );
    }

    #[test]
    fn reports_have_their_shape() {
        check_report(&GuardReport::Terminal, r#"{"type":"terminal"}"#);
        check_report(&GuardReport::Started { pid: 7 }, r#"{"type":"started","pid":7}"#);
        check_report(
            &GuardReport::SpawnFailed { error: "no".into() },
            r#"{"type":"spawn_failed","error":"no"}"#,
        );
        check_report(
            &GuardReport::Exited {
                code: Some(3),
                signal: None,
            },
            r#"{"type":"exited","code":3,"signal":null}"#,
        );
        check_report(
            &GuardReport::Reaped {
                pid: 9,
                code: None,
                signal: Some(9),
            },
            r#"{"type":"reaped","pid":9,"code":null,"signal":9}"#,
        );
        check_report(
            &GuardReport::Signalled {
                signal: 15,
                pids: vec![7, 8],
            },
            r#"{"type":"signalled","signal":15,"pids":[7,8]}"#,
        );
        check_report(
            &GuardReport::Warning {
                message: "why".into(),
            },
            r#"{"type":"warning","message":"why"}"#,
        );
        check_report(&GuardReport::Gone, r#"{"type":"gone"}"#);
    }
}
