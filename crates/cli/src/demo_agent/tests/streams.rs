//! The agent on real streams: its threads, its clock, its ends.

use std::io::{self, BufRead, BufReader, Cursor, PipeReader, PipeWriter, Write};
use std::thread::{self, JoinHandle};

use super::super::{Served, serve};
use super::*;

/// An agent on pipes, in a thread of its own.
struct Running {
    to_agent: PipeWriter,
    from_agent: BufReader<PipeReader>,
    served: JoinHandle<io::Result<Served>>,
    session_id: String,
}

impl Running {
    fn start() -> Self {
        let (agent_input, to_agent) = io::pipe().unwrap();
        let (from_agent, mut agent_output) = io::pipe().unwrap();
        let served = thread::spawn(move || {
            let agent = Agent::new(Duration::ZERO, 7);
            serve(
                agent,
                BufReader::new(agent_input),
                &mut agent_output,
                &mut io::sink(),
                || {},
            )
        });
        let mut running = Self {
            to_agent,
            from_agent: BufReader::new(from_agent),
            served,
            session_id: String::new(),
        };
        running.send(1, "initialize", json!({"protocolVersion": 1}));
        assert_eq!(running.next()["result"]["protocolVersion"], 1);
        running.send(2, "session/new", json!({"cwd": "/music", "mcpServers": []}));
        running.session_id = running.next()["result"]["sessionId"].as_str().unwrap().to_owned();
        running.next();
        running
    }

    fn send(&mut self, id: u64, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.to_agent, "{message}").unwrap();
    }

    fn prompt(&mut self, id: u64, text: &str) {
        let params = json!({"sessionId": self.session_id, "prompt": [{"type": "text", "text": text}]});
        self.send(id, "session/prompt", params);
    }

    fn cancel(&mut self) {
        let params = json!({"sessionId": self.session_id});
        let message = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params});
        writeln!(self.to_agent, "{message}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from_agent.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Reads up to the answer with this id.
    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn close(self) -> Served {
        drop(self.to_agent);
        self.served.join().unwrap().unwrap()
    }
}

#[test]
fn a_cancel_interrupts_a_slow_stream_and_a_flood() {
    let mut running = Running::start();
    // Hours of text in the first case; in the second far more than a pipe holds, so that the end is never near.
    for (id, prompt) in [(3, "slow 100000"), (4, "chunks 1000000")] {
        running.prompt(id, prompt);
        assert_eq!(
            running.next()["params"]["update"]["sessionUpdate"],
            "agent_message_chunk"
        );
        running.cancel();
        assert_eq!(running.answer(id)["result"]["stopReason"], "cancelled");
    }
    running.prompt(5, "hello");
    assert_eq!(running.answer(5)["result"]["stopReason"], "end_turn");
    assert_eq!(running.close(), Served::InputEnded);
}

#[test]
fn the_end_of_the_input_ends_the_agent_in_mid_turn() {
    for prompt in ["slow 100000", "wait", "edit"] {
        let mut running = Running::start();
        running.prompt(3, prompt);
        running.next();
        assert_eq!(running.close(), Served::InputEnded);
    }
}

/// Serves a whole script and returns how it ended, and what came out of it.
fn serve_script(lines: &[Value]) -> (io::Result<Served>, String, String) {
    let input: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    let (mut output, mut log) = (Vec::new(), Vec::new());
    let agent = Agent::new(Duration::ZERO, 7);
    let served = serve(
        agent,
        Cursor::new(input.into_bytes()),
        &mut output,
        &mut log,
        || {},
    );
    (
        served,
        String::from_utf8(output).unwrap(),
        String::from_utf8(log).unwrap(),
    )
}

fn scripted_prompt(text: &str) -> [Value; 2] {
    let prompt = json!([{"type": "text", "text": text}]);
    [
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/music", "mcpServers": []}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt",
            "params": {"sessionId": "demo-00000007-1", "prompt": prompt}}),
    ]
}

#[test]
fn a_crash_comes_after_what_was_said_before() {
    let (served, output, log) = serve_script(&scripted_prompt("stderr 1 crash"));
    assert_eq!(served.unwrap(), Served::Crashed);
    assert_eq!(log, "demo agent: line 1 of 1 on stderr\n");
    let last: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    assert_eq!(last["params"]["update"]["content"]["text"], "of a sen");
}

#[test]
fn what_came_before_the_end_of_the_input_is_answered() {
    let (served, output, _) = serve_script(&scripted_prompt("usage"));
    assert_eq!(served.unwrap(), Served::InputEnded);
    let last: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    assert_eq!(last["result"]["stopReason"], "end_turn");
}

#[test]
fn an_output_that_nobody_reads_is_an_error() {
    struct Broken;
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let agent = Agent::new(Duration::ZERO, 7);
    let input = Cursor::new(format!("{}\n", scripted_prompt("hello")[0]).into_bytes());
    let served = serve(agent, input, &mut Broken, &mut io::sink(), || {});
    assert_eq!(served.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
