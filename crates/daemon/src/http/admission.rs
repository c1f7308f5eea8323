//! Whether a request may be answered at all, by where it says it comes from. Pure.
//!
//! A page of anywhere can make its visitor's browser send requests to loopback, and a name of anywhere can be made to
//! mean 127.0.0.1. Names are compared as whole texts with a fixed set: comparing two headers with each other, or the
//! beginning of one, lets both through.

use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The names of loopback by which a browser may call us.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The port that addresses of the scheme `http` leave out.
const PLAIN_PORT: u16 = 80;

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("this server answers to 127.0.0.1, localhost and [::1] with its own port, and to no other name")]
    Host,
    #[error("the request comes from a page of another origin")]
    Origin,
    #[error("the request does not say from which page it comes (Origin)")]
    NoOrigin,
    #[error("the browser says that a page of another site asks")]
    Site,
}

impl Refusal {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin | Self::NoOrigin | Self::Site => StatusCode::FORBIDDEN,
        }
    }
}

/// What a request may do, as far as it matters for what it has to say of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It reads what everybody may have.
    Public,
    /// It changes something, or opens a WebSocket.
    Acting,
}

impl Reach {
    /// Returns the reach of a request: on the path of the WebSocket even `GET` opens a way to change things.
    pub(super) fn of(method: &Method, path: &str) -> Self {
        if path != super::routes::RPC && (method == Method::GET || method == Method::HEAD) {
            Self::Public
        } else {
            Self::Acting
        }
    }
}

/// Checks where a request says it goes to and comes from.
pub(super) fn check(request: &Parts, port: u16) -> Result<(), Refusal> {
    let host = only(&request.headers, &HOST).map_err(|Several| Refusal::Host)?;
    let is_ours = host.is_some_and(|host| is_our_host(host, port))
        // A target in absolute form would be believed before the header.
        && request.uri.authority().is_none_or(|authority| is_our_host(authority.as_str(), port));
    if !is_ours {
        return Err(Refusal::Host);
    }
    let reach = Reach::of(&request.method, request.uri.path());
    match only(&request.headers, &ORIGIN) {
        Ok(Some(origin)) if is_our_origin(origin, port) => {}
        Ok(None) if reach == Reach::Public => {}
        Ok(None) => return Err(Refusal::NoOrigin),
        Ok(Some(_)) | Err(Several) => return Err(Refusal::Origin),
    }
    // Another port of this machine is of the same site, and `SameSite` does not keep its pages out.
    match (reach, only(&request.headers, &FETCH_SITE)) {
        (Reach::Public, _) | (Reach::Acting, Ok(None | Some("same-origin"))) => Ok(()),
        (Reach::Acting, Ok(Some(_)) | Err(Several)) => Err(Refusal::Site),
    }
}

fn is_our_host(host: &str, port: u16) -> bool {
    NAMES
        .iter()
        .any(|name| host == format!("{name}:{port}") || (port == PLAIN_PORT && host == *name))
}

fn is_our_origin(origin: &str, port: u16) -> bool {
    origin
        .strip_prefix("http://")
        .is_some_and(|host| is_our_host(host, port))
}

/// A header stands there more than once, or is no text.
struct Several;

fn only<'request>(headers: &'request HeaderMap, name: &HeaderName) -> Result<Option<&'request str>, Several> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Several),
        (Some(_), Some(_)) => Err(Several),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 4100;
    const OURS: (&str, &str) = ("host", "127.0.0.1:4100");

    fn check(line: &str, headers: &[(&str, &str)], expected: Result<(), Refusal>) {
        let (method, target) = line.split_once(' ').expect("a method and a target");
        let mut request = hyper::Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        assert_eq!(super::check(&parts, PORT), expected, "{line} {headers:?}");
    }

    #[test]
    fn only_our_own_names_are_hosts() {
        for host in ["127.0.0.1:4100", "localhost:4100", "[::1]:4100"] {
            check("GET /", &[("host", host)], Ok(()));
        }
        for host in [
            "127.evil.example:4100",
            "127.0.0.1.evil.example:4100",
            "localhost.evil.example:4100",
            "evil.example:4100",
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:4101",
            "127.0.0.1:41000",
            "127.0.0.1:4100:4100",
            "127.0.0.2:4100",
            "127.1:4100",
            "0.0.0.0:4100",
            "2130706433:4100",
            "LOCALHOST:4100",
            "localhost.:4100",
            "::1:4100",
            "[::ffff:127.0.0.1]:4100",
            "127.0.0.1:4100@evil.example",
            "user@127.0.0.1:4100",
            " 127.0.0.1:4100",
            "",
        ] {
            for path in ["GET /", "GET /healthz", "GET /assets/a.js", "POST /api/login"] {
                check(path, &[("host", host)], Err(Refusal::Host));
            }
        }
        check("GET /", &[], Err(Refusal::Host));
        check("GET /", &[OURS, ("host", "evil.example")], Err(Refusal::Host));
        check("GET http://evil.example:4100/", &[OURS], Err(Refusal::Host));
        check("GET http://127.0.0.1:4100/", &[OURS], Ok(()));
    }

    #[test]
    fn an_origin_is_ours_or_refused() {
        for origin in [
            "http://127.0.0.1:4100",
            "http://localhost:4100",
            "http://[::1]:4100",
        ] {
            for line in ["GET /", "GET /rpc", "POST /api/login"] {
                check(line, &[OURS, ("origin", origin)], Ok(()));
            }
        }
        for origin in [
            "null",
            "",
            "https://127.0.0.1:4100",
            "http://127.0.0.1:4101",
            "http://127.0.0.1",
            "http://127.evil.example:4100",
            "http://evil.example",
            "http://evil.example:4100",
            "http://127.0.0.1:4100.evil.example",
            "http://127.0.0.1:4100/",
            "file://",
            "chrome-extension://abcdef",
        ] {
            for line in [
                "GET /",
                "GET /healthz",
                "GET /rpc",
                "POST /api/login",
                "POST /api/upload",
            ] {
                check(line, &[OURS, ("origin", origin)], Err(Refusal::Origin));
            }
        }
        let ours = ("origin", "http://127.0.0.1:4100");
        check(
            "POST /api/login",
            &[OURS, ours, ("origin", "http://evil.example")],
            Err(Refusal::Origin),
        );
        // Under rebinding both headers are the attacker's, and equal.
        let rebound = [
            ("host", "evil.example:4100"),
            ("origin", "http://evil.example:4100"),
        ];
        check("GET /rpc", &rebound, Err(Refusal::Host));
    }

    #[test]
    fn what_acts_says_where_it_comes_from() {
        check("GET /", &[OURS], Ok(()));
        check("HEAD /", &[OURS], Ok(()));
        for line in [
            "GET /rpc",
            "POST /api/login",
            "POST /api/logout",
            "DELETE /",
            "PUT /index.html",
        ] {
            check(line, &[OURS], Err(Refusal::NoOrigin));
        }
    }

    #[test]
    fn what_acts_is_of_the_same_origin_where_the_browser_says() {
        let ours = ("origin", "http://127.0.0.1:4100");
        for site in ["cross-site", "same-site", "none", "SAME-ORIGIN", ""] {
            for line in ["POST /api/login", "GET /rpc"] {
                check(line, &[OURS, ours, ("sec-fetch-site", site)], Err(Refusal::Site));
            }
            // A link from elsewhere may lead here: what it gets is public.
            check("GET /", &[OURS, ("sec-fetch-site", site)], Ok(()));
        }
        check(
            "POST /api/login",
            &[OURS, ours, ("sec-fetch-site", "same-origin")],
            Ok(()),
        );
    }
}
