//! What a browser sends, down to the headers that a page cannot change and a test can; and a WebSocket.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};

use pupitre_protocol::Method;
use pupitre_protocol::method::system;
use pupitre_protocol::system::Empty;
use serde_json::{Value, json};
use tungstenite::handshake::HandshakeError;
use tungstenite::http::Request;
use tungstenite::{Message, WebSocket};

use crate::support::{Desk, PATIENCE};

/// A browser before a desk's page.
#[derive(Debug, Clone)]
pub(super) struct Browser {
    pub(super) port: u16,
    pub(super) address: IpAddr,
    /// Its cookies, as it sends them.
    pub(super) cookie: Option<String>,
}

/// An answer of the server.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Browser {
    /// Returns a browser that was not let in, and a token that would let it.
    pub(super) fn outside(desk: &Desk) -> (Self, String) {
        let url = desk.call::<system::Page>(Empty {}).url;
        let (address, token) = url.split_once("/#token=").expect("a token in the fragment");
        let port = address.strip_prefix("http://127.0.0.1:").expect("on loopback");
        let browser = Self {
            port: port.parse().expect("a port"),
            address: Ipv4Addr::LOCALHOST.into(),
            cookie: None,
        };
        (browser, token.to_owned())
    }

    /// Returns a browser that was let in.
    pub(super) fn inside(desk: &Desk) -> Self {
        let (mut browser, token) = Self::outside(desk);
        let answer = browser.login(&token);
        assert_eq!(answer.status, 204, "{answer:?}");
        browser.cookie = Some(answer.cookie());
        browser
    }

    pub(super) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    pub(super) fn login(&self, token: &str) -> Answer {
        let body = json!({ "token": token }).to_string();
        self.post("/api/login", "application/json", body.as_bytes())
    }

    /// Sends what our own page would send.
    pub(super) fn post(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        let origin = self.origin();
        let headers = [
            ("host", self.host()),
            ("origin", origin),
            ("sec-fetch-site", "same-origin".to_owned()),
            ("content-type", kind.to_owned()),
        ];
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        self.send(&format!("POST {path}"), &headers, body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[("host", &self.host())], b"")
    }

    /// Sends exactly these headers, the cookie, and what the length of the body asks for.
    pub(super) fn send(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        if let Some(cookie) = &self.cookie {
            write!(head, "cookie: {cookie}\r\n").unwrap();
        }
        write!(head, "content-length: {}\r\n\r\n", body.len()).unwrap();
        let mut stream = self.connect();
        // A server that refuses the head reads no body, and may have closed by now.
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body))
            .ok();
        let mut answer = Vec::new();
        // What came before the connection was reset is the answer.
        stream.read_to_end(&mut answer).ok();
        Answer::parse(&answer)
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream =
            TcpStream::connect(SocketAddr::new(self.address, self.port)).expect("the page is served");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    }

    /// Opens the WebSocket as our own page would.
    pub(super) fn socket(&self) -> Socket {
        self.try_socket(&self.host(), Some(&self.origin()))
            .unwrap_or_else(|status| panic!("the WebSocket was refused with {status}"))
    }

    /// Opens the WebSocket as a page of this origin would, and returns the status when it is refused.
    pub(super) fn try_socket(&self, host: &str, origin: Option<&str>) -> Result<Socket, u16> {
        let mut request = Request::builder()
            .uri(format!("ws://{host}/rpc"))
            .header("host", host)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let request = request.body(()).expect("a request");
        match tungstenite::client::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Socket { socket, calls: 0 }),
            Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("the handshake: {error}"),
        }
    }
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers = lines.filter_map(|line| line.split_once(": "));
        Self {
            status: status.and_then(|status| status.parse().ok()).expect("a status"),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: bytes[end + 4..].to_owned(),
        }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn header_names(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the cookie that was set, as a browser sends it back.
    pub(super) fn cookie(&self) -> String {
        let set = self.header("set-cookie").expect("a cookie");
        set.split(';').next().expect("it has a value").to_owned()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A WebSocket of a page.
pub(super) struct Socket {
    socket: WebSocket<TcpStream>,
    calls: u64,
}

/// What a page reads.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    Message(Value),
    /// The code of the last word.
    Closed(u16),
}

impl Socket {
    pub(super) fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("the page may speak");
    }

    /// Sends what closes the connection, and reads to its end. `None` when the end came before the last word: the daemon
    /// does not wait for the rest of what is too much, and the system may throw away what it said.
    pub(super) fn send_too_much(&mut self, text: &str) -> Option<u16> {
        let mut outcome = self.socket.send(Message::text(text)).map(|()| None);
        loop {
            match outcome {
                Ok(Some(Message::Close(Some(close)))) => return Some(close.code.into()),
                Ok(_) => outcome = self.socket.read().map(Some),
                Err(_) => return None,
            }
        }
    }

    pub(super) fn send_binary(&mut self, bytes: &'static [u8]) {
        self.socket
            .send(Message::binary(bytes))
            .expect("the page may speak");
    }

    /// Returns the next message of bytes.
    pub(super) fn binary(&mut self) -> Vec<u8> {
        loop {
            match self.socket.read() {
                Ok(Message::Binary(bytes)) => return bytes.to_vec(),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(other) => panic!("bytes were expected: {other:?}"),
                Err(error) => panic!("no message: {error}"),
            }
        }
    }

    /// Returns the next message that is no ping.
    pub(super) fn hear(&mut self) -> Heard {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Heard::Message(serde_json::from_str(&text).expect("JSON")),
                Ok(Message::Close(frame)) => {
                    return Heard::Closed(frame.map_or(0, |frame| frame.code.into()));
                }
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(other) => panic!("the daemon says only text: {other:?}"),
                Err(error) => panic!("no message: {error}"),
            }
        }
    }

    pub(super) fn message(&mut self) -> Value {
        match self.hear() {
            Heard::Message(message) => message,
            Heard::Closed(code) => panic!("closed with {code}"),
        }
    }

    /// Returns the next event's frame.
    pub(super) fn frame(&mut self) -> Value {
        let mut message = self.message();
        assert_eq!(
            (&message["jsonrpc"], &message["method"], message.get("id")),
            (&json!("2.0"), &json!("event"), None),
            "{message}"
        );
        message["params"].take()
    }

    /// Begins a call and returns its number.
    pub(super) fn begin<M: Method>(&mut self, params: &M::Params) -> u64 {
        self.calls += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.calls, "method": M::NAME, "params": params });
        self.send(&request.to_string());
        self.calls
    }

    /// Calls a method and returns its reply; events that come before it are passed over.
    pub(super) fn call<M: Method>(&mut self, params: &M::Params) -> M::Reply {
        let id = self.begin::<M>(params);
        loop {
            let mut message = self.message();
            if message["id"] == json!(id) {
                let result = message["result"].take();
                return serde_json::from_value(result).unwrap_or_else(|error| panic!("{error}: {message}"));
            }
        }
    }
}
