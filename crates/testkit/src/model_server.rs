//! A model server on loopback whose answers are written in the prompt, so that agents of others can be tried without
//! a key and without a network. It speaks OpenAI Chat Completions and Responses, Anthropic Messages and Gemini.
//! The words of a prompt are in `play`; which tool of an agent is called for them, in `tools`.

mod conversation;
mod http;
mod play;
mod tools;
mod wire;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use conversation::Conversation;
use http::{Connection, HttpRequest, HttpResponse, Paused};
use play::Act;
use wire::{Api, Whole};

/// A running server; it ends when this is dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What an agent asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenRequest {
    pub method: String,
    pub path: String,
    /// Names of the tools the agent offered to the model.
    pub tools: Vec<String>,
    /// Results of tools since the last prompt with words for this server.
    pub results: Vec<String>,
}

struct Shared {
    stopping: AtomicBool,
    released: AtomicBool,
    requests: Mutex<Vec<SeenRequest>>,
}

impl ModelServer {
    /// Starts a server on a free port of 127.0.0.1.
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            stopping: AtomicBool::new(false),
            released: AtomicBool::new(false),
            requests: Mutex::new(Vec::new()),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.stopping.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Self { address, shared })
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the address without a path, such as `http://127.0.0.1:4711`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets every answer that holds or drips, now or later, come to its end.
    pub fn release(&self) {
        self.shared.released.store(true, Ordering::SeqCst);
    }

    /// Returns what was asked so far, in order.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.shared
            .requests
            .lock()
            .expect("no thread panics while it holds the list")
            .clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the accepting thread; if nobody listens any more there is nothing to wake.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    /// Answers one request and closes the connection. That the agent leaves early is its right.
    fn serve(&self, stream: TcpStream) {
        let mut connection = Connection::new(stream);
        if let Ok(Some(request)) = connection.read_request() {
            let _ = self.answer(&mut connection, &request);
        }
    }

    fn answer(&self, connection: &mut Connection, request: &HttpRequest) -> std::io::Result<()> {
        let path = request.path.split('?').next().unwrap_or_default();
        let api = match (request.method.as_str(), path) {
            ("HEAD", _) => return connection.respond(&HttpResponse::empty()),
            ("GET", path) if path.ends_with("/models") => {
                self.note(request, Conversation::default());
                return connection.respond(&HttpResponse::json(200, &model_list()));
            }
            ("POST", path) if path.ends_with("/count_tokens") => {
                return connection.respond(&HttpResponse::json(200, &json!({"input_tokens": 100})));
            }
            ("POST", path) if path.ends_with(":countTokens") => {
                return connection.respond(&HttpResponse::json(200, &json!({"totalTokens": 100})));
            }
            ("POST", path) => Api::of_path(path),
            (_, _) => None,
        };
        let Some(api) = api else {
            self.note(request, Conversation::default());
            let body = json!({"error": {"message": "nothing is here", "type": "not_found"}});
            return connection.respond(&HttpResponse::json(404, &body));
        };
        if request.has_bad_key() {
            self.note(request, Conversation::default());
            let (status, body) = api.refusal();
            return connection.respond(&HttpResponse::json(status, &body));
        }
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
            self.note(request, Conversation::default());
            return connection.respond(&HttpResponse::json(
                400,
                &json!({"error": {"message": "no JSON"}}),
            ));
        };
        let conversation = Conversation::read(api, &body);
        let acts = play::acts(&conversation);
        self.note(request, conversation.clone());
        if let Some(status) = acts.iter().find_map(Act::status) {
            return connection.respond(&HttpResponse::json(status, &api.failure(status)));
        }
        if api.is_streamed(path, &body) {
            self.stream(connection, api, &acts, &conversation)
        } else {
            let mut whole = Whole::default();
            for act in &acts {
                match act {
                    Act::Say { text } | Act::Drip { text } => whole.text.push_str(text),
                    Act::Big { bytes } => whole.text.push_str(&"x".repeat(*bytes)),
                    Act::Use(intent) => match tools::call(intent, &conversation.tools) {
                        Some(call) => whole.calls.push(call),
                        None => whole.text.push_str(NO_TOOL),
                    },
                    Act::Drop => return Ok(()),
                    Act::Hold => self.hold(connection)?,
                    Act::Think { .. } | Act::Garbage | Act::Status { .. } => {}
                }
            }
            let body = if conversation.wants_json {
                json_answer()
            } else {
                whole
            };
            connection.respond(&HttpResponse::json(200, &api.whole(&body, &conversation.model)))
        }
    }

    fn stream(
        &self,
        connection: &mut Connection,
        api: Api,
        acts: &[Act],
        conversation: &Conversation,
    ) -> std::io::Result<()> {
        let mut wire = api.wire(&conversation.model);
        connection.begin_events()?;
        connection.events(wire.begin())?;
        for act in acts {
            match act {
                Act::Say { text } => {
                    for word in words(text) {
                        connection.events(wire.text(word))?;
                    }
                }
                Act::Think { text } => {
                    for word in words(text) {
                        connection.events(wire.thought(word))?;
                    }
                }
                Act::Big { bytes } => connection.events(wire.text(&"x".repeat(*bytes)))?,
                Act::Drip { text } => {
                    for word in words(text).cycle() {
                        connection.events(wire.text(word))?;
                        match connection.pause()? {
                            Paused::Closed => return Ok(()),
                            Paused::Open if self.released.load(Ordering::SeqCst) => break,
                            Paused::Open => {}
                        }
                    }
                }
                Act::Hold => self.hold(connection)?,
                Act::Use(intent) => match tools::call(intent, &conversation.tools) {
                    Some(call) => connection.events(wire.call(&call))?,
                    None => connection.events(wire.text(NO_TOOL))?,
                },
                Act::Garbage => connection.garbage()?,
                Act::Drop => return Ok(()),
                Act::Status { .. } => {}
            }
        }
        connection.events(wire.end())?;
        connection.end_events(api.last_words())
    }

    /// Waits until the agent closes the connection or the test releases it.
    fn hold(&self, connection: &mut Connection) -> std::io::Result<()> {
        while !self.released.load(Ordering::SeqCst) {
            match connection.pause()? {
                Paused::Closed => return Err(std::io::ErrorKind::ConnectionReset.into()),
                Paused::Open => {}
            }
        }
        Ok(())
    }

    fn note(&self, request: &HttpRequest, conversation: Conversation) {
        let results = conversation.results_since_play();
        let seen = SeenRequest {
            method: request.method.clone(),
            path: request.path.clone(),
            tools: conversation.tools.into_iter().map(|tool| tool.name).collect(),
            results,
        };
        self.requests
            .lock()
            .expect("no thread panics while it holds the list")
            .push(seen);
    }
}

const NO_TOOL: &str = "No tool that could do this was offered.";

/// Returns the pieces of `text`, each with the space after it.
fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split_inclusive(' ')
}

/// Some agents ask a model to choose a model or the next speaker, and want JSON.
fn json_answer() -> Whole {
    let text = json!({"reasoning": "only one is there", "next_speaker": "user", "model_choice": "flash",
        "complexity_reasoning": "simple", "complexity_score": 1});
    Whole {
        text: text.to_string(),
        calls: Vec::new(),
    }
}

fn model_list() -> Value {
    let model = |id: &str| {
        json!({"id": id, "object": "model", "type": "model", "display_name": id, "created": 1,
            "created_at": "2026-01-01T00:00:00Z", "owned_by": "testkit"})
    };
    let data: Vec<_> = ["test-model", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"]
        .map(model)
        .into();
    json!({"object": "list", "has_more": false, "data": data, "models": []})
}
