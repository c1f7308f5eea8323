//! As much of HTTP/1.1 as agents need: one request and one answer a connection, bodies of known length or in chunks,
//! server-sent events.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Time between two words that drip, and the longest a held answer takes to notice what it waits for.
const PAUSE: Duration = Duration::from_millis(50);
const HEAD_BYTES_MAX: usize = 64 * 1024;
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether the key of the request is one that begins with `bad`.
    pub(super) fn has_bad_key(&self) -> bool {
        let bearer = self
            .header("authorization")
            .and_then(|value| value.strip_prefix("Bearer "));
        let keys = [bearer, self.header("x-api-key"), self.header("x-goog-api-key")];
        keys.iter().flatten().any(|key| key.starts_with("bad"))
    }
}

pub(super) struct HttpResponse {
    status: u16,
    body: Vec<u8>,
}

impl HttpResponse {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            body: body.to_string().into_bytes(),
        }
    }

    pub(super) fn empty() -> Self {
        Self {
            status: 200,
            body: Vec::new(),
        }
    }
}

/// A server-sent event: its name, where the API gives one, and its data.
pub(super) type SentEvent = (Option<&'static str>, Value);

pub(super) enum Paused {
    Open,
    Closed,
}

pub(super) struct Connection {
    stream: TcpStream,
    /// Bytes read beyond the head.
    rest: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            rest: Vec::new(),
        }
    }

    /// Returns the request, or nothing when the connection closes before one.
    pub(super) fn read_request(&mut self) -> std::io::Result<Option<HttpRequest>> {
        let mut request = loop {
            let mut headers = [httparse::EMPTY_HEADER; 128];
            let mut head = httparse::Request::new(&mut headers);
            match head
                .parse(&self.rest)
                .map_err(|error| Error::new(ErrorKind::InvalidData, error))?
            {
                httparse::Status::Complete(length) => {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    let request = HttpRequest {
                        method: head.method.unwrap_or_default().to_owned(),
                        path: head.path.unwrap_or_default().to_owned(),
                        headers: head
                            .headers
                            .iter()
                            .map(|header| (header.name.to_owned(), text(header.value)))
                            .collect(),
                        body: Vec::new(),
                    };
                    self.rest.drain(..length);
                    break request;
                }
                httparse::Status::Partial if self.rest.len() > HEAD_BYTES_MAX => {
                    return Err(ErrorKind::InvalidData.into());
                }
                httparse::Status::Partial => {
                    if self.read_more()? == 0 {
                        return Ok(None);
                    }
                }
            }
        };
        if request.header("expect").is_some() {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = if request
            .header("transfer-encoding")
            .is_some_and(|coding| coding.contains("chunked"))
        {
            self.read_chunks()?
        } else {
            let length = request
                .header("content-length")
                .and_then(|length| length.parse().ok())
                .unwrap_or(0);
            self.read_exactly(length)?
        };
        Ok(Some(request))
    }

    pub(super) fn respond(&mut self, response: &HttpResponse) -> std::io::Result<()> {
        let HttpResponse { status, body } = response;
        let head = format!(
            "HTTP/1.1 {status} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            if *status < 400 { "OK" } else { "Failed" },
            body.len()
        );
        self.stream.write_all(head.as_bytes())?;
        self.stream.write_all(body)
    }

    pub(super) fn begin_events(&mut self) -> std::io::Result<()> {
        self.stream.set_nodelay(true)?;
        self.stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
              Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        )
    }

    pub(super) fn events(&mut self, events: Vec<SentEvent>) -> std::io::Result<()> {
        for (name, data) in events {
            let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
            self.chunk(&format!("{name}data: {data}\n\n"))?;
        }
        Ok(())
    }

    pub(super) fn garbage(&mut self) -> std::io::Result<()> {
        self.chunk("data: {this is no JSON\n\n")
    }

    /// Ends the body; without this the agent sees a connection that was cut.
    pub(super) fn end_events(&mut self, last_words: &str) -> std::io::Result<()> {
        if !last_words.is_empty() {
            self.chunk(last_words)?;
        }
        self.stream.write_all(b"0\r\n\r\n")
    }

    /// Waits a moment for the agent to close the connection.
    pub(super) fn pause(&mut self) -> std::io::Result<Paused> {
        self.stream.set_read_timeout(Some(PAUSE))?;
        let mut byte = [0; 1];
        match self.stream.read(&mut byte) {
            Ok(0) => Ok(Paused::Closed),
            Ok(_) => Ok(Paused::Open),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Ok(Paused::Open)
            }
            Err(error) => Err(error),
        }
    }

    fn chunk(&mut self, text: &str) -> std::io::Result<()> {
        self.stream
            .write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
    }

    fn read_more(&mut self) -> std::io::Result<usize> {
        let mut buffer = [0; 16 * 1024];
        let read = self.stream.read(&mut buffer)?;
        self.rest.extend_from_slice(&buffer[..read]);
        Ok(read)
    }

    fn read_exactly(&mut self, length: usize) -> std::io::Result<Vec<u8>> {
        if length > BODY_BYTES_MAX {
            return Err(ErrorKind::InvalidData.into());
        }
        while self.rest.len() < length {
            if self.read_more()? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.rest.drain(..length).collect())
    }

    fn read_chunks(&mut self) -> std::io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let size = loop {
                match self.rest.windows(2).position(|pair| pair == b"\r\n") {
                    Some(end) => {
                        let line: Vec<u8> = self.rest.drain(..end + 2).collect();
                        let digits = String::from_utf8_lossy(&line);
                        let digits = digits.trim().split(';').next().unwrap_or_default();
                        break usize::from_str_radix(digits, 16)
                            .map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
                    }
                    None if self.read_more()? == 0 => return Err(ErrorKind::UnexpectedEof.into()),
                    None => {}
                }
            };
            let data = self.read_exactly(size + 2)?;
            if size == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&data[..size]);
            if body.len() > BODY_BYTES_MAX {
                return Err(ErrorKind::InvalidData.into());
            }
        }
    }
}
