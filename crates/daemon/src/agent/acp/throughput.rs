//! Measures how fast chunks are read beside a bare reader of lines with serde. Run by hand, in a release build:
//! `cargo test --release -p pupitre-daemon throughput -- --ignored --nocapture`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Connection, Incoming, LineReader, Redactor, Trace, outgoing_lines};

const CHUNKS: usize = 100_000;
const ROUNDS: usize = 15;

fn stream() -> Vec<u8> {
    (0..CHUNKS)
        .flat_map(|number| {
            let text = format!("word number {number}, \\\"quoted\\\" and é\\n");
            format!(
                r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"01a22b44-31e8-7632-863e-2deb6f43b006","update":{{"sessionUpdate":"agent_message_chunk","messageId":"m-1","content":{{"type":"text","text":"{text}"}}}}}}}}"#
            )
            .into_bytes()
            .into_iter()
            .chain([b'\n'])
        })
        .collect()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

/// Reads the lines and parses each into a `Value`, the way a first sketch of a client would.
fn bare(bytes: &[u8]) -> usize {
    run(async {
        let mut reader = LineReader::new(bytes);
        let mut count = 0;
        while let Some(line) = reader.next_line().await.unwrap() {
            black_box(serde_json::from_slice::<Value>(line).unwrap());
            count += 1;
        }
        count
    })
}

fn through_the_connection(bytes: &[u8], secrets: &[&str]) -> usize {
    let (lines, _writer) = outgoing_lines(tokio::io::sink());
    let trace = Trace::new(Redactor::new(secrets.iter().copied()), || 0, 0);
    let mut connection = Connection::<()>::new(lines, trace);
    run(async {
        let mut reader = LineReader::new(bytes);
        let mut count = 0;
        while let Some(line) = reader.next_line().await.unwrap() {
            for one in connection.accept(line) {
                assert!(matches!(one, Incoming::Update { .. }));
                black_box(one);
                count += 1;
            }
        }
        count
    })
}

fn time(work: impl FnOnce() -> usize) -> Duration {
    let begin = Instant::now();
    assert_eq!(work(), CHUNKS);
    begin.elapsed()
}

#[test]
#[ignore = "measures; run by hand in a release build"]
fn chunks_beside_a_bare_reader() {
    let bytes = stream();
    let secrets = ["sk-0123456789abcdef", "http://127.0.0.1:9/v1", "another-secret"];
    let mut best = [Duration::MAX; 3];
    // In turns, so that what else the machine does meets all of them.
    for _ in 0..ROUNDS {
        best[0] = best[0].min(time(|| bare(&bytes)));
        best[1] = best[1].min(time(|| through_the_connection(&bytes, &[])));
        best[2] = best[2].min(time(|| through_the_connection(&bytes, &secrets)));
    }
    println!(
        "{CHUNKS} chunks, {} MB, best of {ROUNDS}",
        bytes.len() / 1_000_000
    );
    println!("bare lines into a Value:   {:?}", best[0]);
    println!("connection, no secrets:    {:?}", best[1]);
    println!("connection, three secrets: {:?}", best[2]);
}

#[test]
#[ignore = "measures; run by hand in a release build"]
fn one_line_of_13_mb() {
    let output = "x = \\\"é\\\";\\n".repeat(1_200_000);
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call_update","toolCallId":"t","rawOutput":{{"stdout":"{output}"}}}}}}}}"#
    );
    let (lines, _writer) = outgoing_lines(tokio::io::sink());
    let mut connection = Connection::<()>::new(lines, Trace::new(Redactor::new(["a-secret"]), || 0, 0));
    let begin = Instant::now();
    let incoming = connection.accept(line.as_bytes());
    println!("a line of {} MB: {:?}", line.len() / 1_000_000, begin.elapsed());
    assert!(matches!(incoming[..], [Incoming::Update { .. }]));
}
