//! Reads every recorded line of real agents, as a connection to them would.

use pupitre_testkit::fixtures;
use pupitre_testkit::transcript::{Step, Transcript};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::write::Call;
use super::{
    AgentRequest, Connection, Incoming, Redactor, Trace, initialized, new_session_result, outgoing_lines,
    stop_reason,
};

/// Reads one recording, and returns how many messages it has. What its client asked is asked here too, so that the
/// answers find who waits for them.
fn read_transcript(transcript: &Transcript) -> usize {
    let name = format!("{}.{}", transcript.agent, transcript.scenario);
    let (lines, _writer) = outgoing_lines(tokio::io::sink());
    let mut connection = Connection::new(lines, Trace::new(Redactor::default(), || 0, 0));
    let mut messages = 0;
    for step in &transcript.steps {
        match step {
            Step::Client(sent) => {
                if let (Some(id), Some(method)) = (sent["id"].as_u64(), sent["method"].as_str()) {
                    let asked = Asked {
                        id,
                        method: method.to_owned(),
                    };
                    connection.send_request(
                        &Call {
                            method: "recorded",
                            params: json!({}),
                        },
                        asked,
                    );
                }
            }
            Step::Stray(text) => {
                let incoming = connection.accept(text.as_bytes());
                assert!(
                    incoming.iter().all(|one| matches!(one, Incoming::Stray { .. })),
                    "{name}: {incoming:?}"
                );
            }
            Step::Agent(message) => {
                let mut incoming = connection.accept(message.get().as_bytes());
                assert_eq!(incoming.len(), 1, "{name}: {}", message.get());
                let one = incoming.remove(0);
                if let Incoming::Update { .. } | Incoming::UserEcho | Incoming::Noise(_) = one {
                    // A batch goes the long road.
                    let batch = connection.accept(format!("[{}]", message.get()).as_bytes());
                    assert_eq!(format!("{batch:?}"), format!("[{one:?}]"), "{name}");
                }
                check(one, message, &name);
                messages += 1;
            }
            Step::Stderr(_) | Step::End(_) => {}
        }
    }
    messages
}

#[derive(Debug)]
struct Asked {
    id: u64,
    method: String,
}

fn check(one: Incoming<Asked>, message: &RawValue, name: &str) {
    let line = message.get();
    let raw: Value = serde_json::from_str(line).unwrap();
    match one {
        Incoming::Update {
            session_id, skipped, ..
        } => {
            assert_eq!(raw["params"]["sessionId"], session_id, "{name}");
            assert!(skipped.is_empty(), "{name}: {skipped:?} in {line}");
        }
        Incoming::UserEcho => {
            assert_eq!(
                raw["params"]["update"]["sessionUpdate"], "user_message_chunk",
                "{name}"
            );
        }
        Incoming::ElicitationCompleted { elicitation } => {
            assert_eq!(raw["params"]["elicitationId"], elicitation, "{name}");
        }
        Incoming::Request { id, request } => {
            assert_eq!(serde_json::to_value(&id).unwrap(), raw["id"], "{name}");
            match request {
                AgentRequest::Permission(permission) => {
                    assert!(permission.skipped.is_empty(), "{name}: {:?}", permission.skipped);
                    assert!(permission.options.len() > 1, "{name}: {line}");
                    assert_eq!(
                        raw["params"]["toolCall"]["toolCallId"], permission.tool.id,
                        "{name}"
                    );
                }
                AgentRequest::Elicitation(question) => {
                    assert_eq!(raw["params"]["message"], question.message, "{name}");
                }
                AgentRequest::Client(call) => {
                    let method = raw["method"].as_str().unwrap();
                    assert!(
                        method.starts_with("fs/") || method.starts_with("terminal/"),
                        "{name}: {call:?}"
                    );
                }
                AgentRequest::Unknown { method } => assert_eq!(raw["method"], method, "{name}"),
                AgentRequest::Unreadable { reason, .. } => panic!("{name}: {reason} in {line}"),
            }
        }
        Incoming::Reply { tag, outcome } => {
            assert_eq!(raw["id"], tag.id, "{name}");
            match outcome {
                Ok(result) => check_result(&tag.method, &result, &raw, name),
                Err(error) => {
                    let said = raw["error"]["message"].as_str().unwrap();
                    assert!(error.message.starts_with(said), "{name}: {error}");
                    assert_eq!(error.is_auth_required(), raw["error"]["code"] == -32000, "{name}");
                }
            }
        }
        Incoming::Noise(noise) => {
            let noise = noise.to_string();
            let known = [
                "unknown notification _",
                "an error without id",
                "session_info_update with nothing new",
            ];
            let empty = raw["params"]["update"]["content"]["text"] == "";
            assert!(
                empty || known.iter().any(|known| noise.starts_with(known)),
                "{name}: {noise} in {line}"
            );
        }
        Incoming::RequestCancelled { .. } | Incoming::Stray { .. } => panic!("{name}: {one:?} in {line}"),
    }
}

fn check_result(method: &str, result: &RawValue, raw: &Value, name: &str) {
    match method {
        "initialize" => {
            let said = initialized(result).unwrap();
            assert!(said.skipped.is_empty(), "{name}: {:?}", said.skipped);
            let info = &raw["result"]["agentInfo"];
            assert_eq!(said.version.is_some(), info.is_object(), "{name}");
            let load = raw["result"]["agentCapabilities"]["loadSession"] == true;
            assert_eq!(said.capabilities.load_session, load, "{name}");
        }
        "session/new" => {
            let (session_id, settings) = new_session_result(result).unwrap();
            assert_eq!(raw["result"]["sessionId"], session_id, "{name}");
            assert!(settings.skipped.is_empty(), "{name}: {:?}", settings.skipped);
            assert_eq!(
                settings.modes.is_some(),
                raw["result"]["modes"].is_object(),
                "{name}"
            );
            let options = raw["result"]["configOptions"].as_array().map(Vec::len);
            assert_eq!(
                settings.config_options.map(|options| options.len()),
                options,
                "{name}"
            );
        }
        "session/prompt" => {
            let reason = stop_reason(result).unwrap();
            assert_eq!(
                serde_json::to_value(reason).unwrap(),
                raw["result"]["stopReason"],
                "{name}"
            );
        }
        _ => {}
    }
}

#[test]
fn every_recorded_line_is_understood() {
    let transcripts = fixtures::transcripts();
    let messages: usize = transcripts
        .iter()
        .map(|path| read_transcript(&Transcript::load(path).unwrap()))
        .sum();
    assert!(
        transcripts.len() > 50 && messages > 500,
        "{} transcripts, {messages} messages",
        transcripts.len()
    );
}
