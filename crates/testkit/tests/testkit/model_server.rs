//! The model server answers in four formats, and does what the words in the prompt say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use pupitre_testkit::model_server::ModelServer;
use serde_json::{Value, json};

/// Posts and returns status and body, with the chunks of the body joined; `None` for a body that was cut.
fn post(server: &ModelServer, path: &str, body: &Value) -> (u16, Option<String>) {
    post_with(server, path, body, "x-api-key: good")
}

fn post_with(server: &ModelServer, path: &str, body: &Value, header: &str) -> (u16, Option<String>) {
    let mut reader = BufReader::new(open(server, path, body, header));
    let (status, is_chunked) = head(&mut reader);
    if !is_chunked {
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        return (status, Some(text));
    }
    let mut text = String::new();
    loop {
        match chunk(&mut reader) {
            Some(piece) if piece.is_empty() => return (status, Some(text)),
            Some(piece) => text.push_str(&piece),
            None => return (status, None),
        }
    }
}

fn open(server: &ModelServer, path: &str, body: &Value, header: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\n{header}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    stream
}

fn head(reader: &mut impl BufRead) -> (u16, bool) {
    let mut status = None;
    let mut is_chunked = false;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            return (status.unwrap(), is_chunked);
        }
        status = status.or_else(|| line.split(' ').nth(1).and_then(|word| word.parse().ok()));
        is_chunked |= line.eq_ignore_ascii_case("transfer-encoding: chunked");
    }
}

fn chunk(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let size = usize::from_str_radix(line.trim_end(), 16).ok()?;
    let mut bytes = vec![0; size + 2];
    reader.read_exact(&mut bytes).ok()?;
    bytes.truncate(size);
    Some(String::from_utf8(bytes).unwrap())
}

/// Returns the data of the events in a stream.
fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn joined(events: &[Value], pointer: &str) -> String {
    events
        .iter()
        .filter_map(|event| event.pointer(pointer)?.as_str())
        .collect()
}

const PLAY: &str =
    "{{think Well now}}{{say Good morning all}}{{shell touch made.txt; ls}}{{next}}{{say Ready.}}";

#[test]
fn chat_completions() {
    let server = ModelServer::start().unwrap();
    let tool = json!({"type": "function", "function": {"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}}});
    let mut body = json!({"model": "m", "stream": true, "tools": [tool], "messages": [{"role": "user", "content": PLAY}]});
    let (status, text) = post(&server, "/v1/chat/completions", &body);
    let text = text.unwrap();
    assert_eq!(status, 200);
    assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
    let found = events(&text);
    assert_eq!(joined(&found, "/choices/0/delta/content"), "Good morning all");
    assert_eq!(joined(&found, "/choices/0/delta/reasoning_content"), "Well now");
    assert_eq!(
        joined(&found, "/choices/0/delta/tool_calls/0/function/arguments"),
        r#"{"command":"touch made.txt; ls"}"#
    );
    assert_eq!(joined(&found, "/choices/0/finish_reason"), "tool_calls");
    assert!(found.len() > 6, "several pieces: {found:?}");

    let result = json!({"role": "tool", "tool_call_id": "c", "content": "made.txt"});
    body["messages"].as_array_mut().unwrap().push(result);
    body["stream"] = false.into();
    let (_, text) = post(&server, "/v1/chat/completions", &body);
    let answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "Ready.");
    let seen = server.requests();
    assert_eq!(seen[1].tools, ["bash"]);
    assert_eq!(seen[1].results, ["made.txt"]);
}

#[test]
fn responses() {
    let server = ModelServer::start().unwrap();
    let tool = json!({"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {"type": "string"}}}});
    let input =
        json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": PLAY}]}]);
    let mut body = json!({"model": "m", "stream": true, "tools": [tool], "input": input});
    let (_, text) = post(&server, "/v1/responses", &body);
    let found = events(&text.unwrap());
    assert_eq!(joined(&found, "/delta"), "Well nowGood morning all");
    let last = found.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    let kinds: Vec<_> = last["response"]["output"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].clone())
        .collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call"]);
    assert_eq!(
        last["response"]["output"][2]["arguments"],
        r#"{"cmd":"touch made.txt; ls"}"#
    );
    let numbers: Vec<_> = found
        .iter()
        .map(|event| event["sequence_number"].as_u64().unwrap())
        .collect();
    assert!(
        numbers.is_sorted_by(|left, right| left < right) || numbers.len() == 1,
        "{numbers:?}"
    );

    let result = json!({"type": "function_call_output", "call_id": "c", "output": "made.txt"});
    body["input"].as_array_mut().unwrap().push(result);
    let (_, text) = post(&server, "/v1/responses", &body);
    assert_eq!(joined(&events(&text.unwrap()), "/delta"), "Ready.");
}

#[test]
fn messages() {
    let server = ModelServer::start().unwrap();
    let tool = json!({"name": "Bash", "input_schema": {"properties": {"command": {}, "description": {}}}});
    let mut body = json!({"model": "m", "stream": true, "tools": [tool], "messages": [{"role": "user", "content": PLAY}]});
    let (_, text) = post(&server, "/v1/messages?beta=true", &body);
    let found = events(&text.unwrap());
    assert_eq!(joined(&found, "/delta/text"), "Good morning all");
    assert_eq!(joined(&found, "/delta/thinking"), "Well now");
    assert_eq!(
        joined(&found, "/delta/partial_json"),
        r#"{"command":"touch made.txt; ls","description":"a call of the shell"}"#
    );
    assert_eq!(joined(&found, "/delta/stop_reason"), "tool_use");
    let starts = found
        .iter()
        .filter(|event| event["type"] == "content_block_start")
        .count();
    let stops = found
        .iter()
        .filter(|event| event["type"] == "content_block_stop")
        .count();
    assert_eq!((starts, stops), (3, 3));

    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "made.txt"}]});
    body["messages"].as_array_mut().unwrap().push(result);
    body["stream"] = false.into();
    let (_, text) = post(&server, "/v1/messages", &body);
    let answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert_eq!(
        (&answer["content"][0]["text"], &answer["stop_reason"]),
        (&json!("Ready."), &json!("end_turn"))
    );
}

#[test]
fn gemini() {
    let server = ModelServer::start().unwrap();
    let function = json!({"name": "run_shell_command", "parametersJsonSchema": {"properties": {"command": {}}, "required": ["command"]}});
    let mut body = json!({"tools": [{"functionDeclarations": [function]}], "contents": [{"role": "user", "parts": [{"text": PLAY}]}]});
    let (_, text) = post(&server, "/v1beta/models/g:streamGenerateContent?alt=sse", &body);
    let found = events(&text.unwrap());
    assert_eq!(
        joined(&found, "/candidates/0/content/parts/0/text"),
        "Well nowGood morning all"
    );
    assert_eq!(
        joined(&found, "/candidates/0/content/parts/0/functionCall/args/command"),
        "touch made.txt; ls"
    );
    assert_eq!(joined(&found, "/candidates/0/finishReason"), "STOP");

    let result = json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "made.txt"}}}]});
    body["contents"].as_array_mut().unwrap().push(result);
    let (_, text) = post(&server, "/v1beta/models/g:generateContent", &body);
    let answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert_eq!(answer["candidates"][0]["content"]["parts"][0]["text"], "Ready.");

    body["generationConfig"] = json!({"responseMimeType": "application/json"});
    let (_, text) = post(&server, "/v1beta/models/g:generateContent", &body);
    let answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    let inner = answer["candidates"][0]["content"]["parts"][0]["text"]
        .as_str()
        .unwrap();
    assert!(serde_json::from_str::<Value>(inner).unwrap()["model_choice"].is_string());
}

fn chat(prompt: &str) -> Value {
    let tool = json!({"type": "function", "function": {"name": "bash", "parameters": {}}});
    json!({"model": "m", "stream": true, "tools": [tool], "messages": [{"role": "user", "content": prompt}]})
}

#[test]
fn failures_are_played_as_asked() {
    let server = ModelServer::start().unwrap();
    let path = "/v1/chat/completions";
    assert_eq!(post(&server, path, &chat("{{status 503}}")).0, 503);
    assert_eq!(post(&server, path, &chat("{{say Half}}{{drop}}")), (200, None));
    assert!(
        post(&server, path, &chat("{{garbage}}"))
            .1
            .unwrap()
            .contains("no JSON")
    );
    assert_eq!(
        post_with(&server, path, &chat("{{say x}}"), "Authorization: Bearer bad-key").0,
        401
    );
    assert_eq!(
        post_with(&server, "/v1/messages", &chat("{{say x}}"), "x-api-key: bad-key").0,
        401
    );
    assert_eq!(post(&server, "/v1/nothing", &json!({})).0, 404);
    let (_, text) = post(&server, path, &chat("{{write a.txt hello}}"));
    assert_eq!(
        joined(&events(&text.unwrap()), "/choices/0/delta/content"),
        "No tool that could do this was offered."
    );
    let (_, text) = post(&server, path, &chat("{{big 100000}}"));
    assert_eq!(
        joined(&events(&text.unwrap()), "/choices/0/delta/content").len(),
        100_000
    );
}

#[test]
fn a_held_answer_ends_when_it_is_released() {
    let server = ModelServer::start().unwrap();
    let mut reader = BufReader::new(open(
        &server,
        "/v1/chat/completions",
        &chat("{{say Wait}}{{hold}}{{say Go}}"),
        "a: b",
    ));
    head(&mut reader);
    let mut text = String::new();
    while !text.contains("Wait") {
        text.push_str(&chunk(&mut reader).unwrap());
    }
    server.release();
    while let Some(piece) = chunk(&mut reader).filter(|piece| !piece.is_empty()) {
        text.push_str(&piece);
    }
    assert_eq!(joined(&events(&text), "/choices/0/delta/content"), "WaitGo");
}

#[test]
fn a_dripping_answer_goes_on_until_nobody_listens() {
    let server = ModelServer::start().unwrap();
    let mut reader = BufReader::new(open(
        &server,
        "/v1/chat/completions",
        &chat("{{drip drop}}"),
        "a: b",
    ));
    head(&mut reader);
    let mut drops = 0;
    while drops < 3 {
        drops += chunk(&mut reader).unwrap().matches("drop ").count();
    }
}

#[test]
fn bodies_in_chunks_are_read() {
    let server = ModelServer::start().unwrap();
    let body = chat("{{say Whole}}").to_string();
    let (left, right) = body.split_at(20);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{left}\r\n{:x}\r\n{right}\r\n0\r\n\r\n",
        left.len(),
        right.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains("Whole"), "{text}");
}

#[test]
fn the_program_prints_its_port_and_ends_with_its_stdin() {
    #[expect(clippy::disallowed_methods, reason = "the test is about the program")]
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pupitre-model-server"));
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port: u16 = line.trim().parse().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(b"GET /v1/models HTTP/1.1\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(
        text.starts_with("HTTP/1.1 200") && text.contains("gpt-5"),
        "{text}"
    );
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
