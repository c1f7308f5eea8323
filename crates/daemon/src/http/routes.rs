//! What is answered on which path, and what every answer tells the browser.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_NONE_MATCH, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{StatusCode, Uri};
use pupitre_model::gate::Asker;
use pupitre_protocol::limits::{PAGE_CONNECTIONS, PAGE_SESSION_MS, WEB_SOCKET_BYTES};
use pupitre_webui::Keeping;
use serde::Deserialize;
use tokio::time::timeout;

use super::uploads::UploadError;
use super::{Page, admission, web_socket};
use crate::rpc::{Call, Daemon, Router as Methods};

/// The path of the WebSocket.
pub(super) const RPC: &str = "/rpc";

/// The most bytes of a login: a token and what is around it.
const LOGIN_BYTES: usize = 1 << 10;

/// How long it may take to arrive.
const LOGIN_TIME: Duration = Duration::from_secs(10);

/// What a page may load and do. Styles are set from scripts, by the editor among others; a form has nowhere to go.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    object-src 'none'";

const ALWAYS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=()",
    ),
];

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// What the routes work with.
#[derive(Clone)]
struct Server {
    daemon: Arc<Daemon>,
    methods: Arc<Methods>,
    port: u16,
}

/// Returns what answers a browser.
pub(super) fn service(daemon: Arc<Daemon>, methods: Arc<Methods>, port: u16) -> Router {
    let server = Server {
        daemon,
        methods,
        port,
    };
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/api/login", post(login))
        .route("/api/logout", post(logout))
        // A file's size is looked at while it arrives.
        .route("/api/upload", post(upload).layer(DefaultBodyLimit::disable()))
        .route(RPC, get(open_web_socket))
        .fallback(get(page_file))
        // Last, so that it stands before everything.
        .layer(middleware::from_fn_with_state(server.clone(), guard_and_dress))
        .with_state(server)
}

/// Refuses what may not be asked, and gives every answer the headers that all of them have.
async fn guard_and_dress(State(server): State<Server>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut response = match admission::check(&parts, server.port) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => {
            // Any page of the web could fill the log with these.
            tracing::debug!(%refusal, method = %parts.method, path = parts.uri.path(), "a request was refused");
            (refusal.status(), format!("{refusal}\n")).into_response()
        }
    };
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
    response
}

/// What a login carries.
#[derive(Deserialize)]
struct Login {
    token: String,
}

/// Exchanges a token for a cookie.
async fn login(State(server): State<Server>, headers: HeaderMap, body: Body) -> Response {
    // A form cannot say this, so no page of elsewhere can send it without asking first.
    if headers
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind != "application/json")
    {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "a login is JSON\n").into_response();
    }
    let body = match timeout(LOGIN_TIME, to_bytes(body, LOGIN_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return (StatusCode::PAYLOAD_TOO_LARGE, "that is no login\n").into_response(),
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the login did not arrive\n").into_response(),
    };
    let Ok(Login { token }) = serde_json::from_slice(&body) else {
        return (StatusCode::BAD_REQUEST, "that is no login\n").into_response();
    };
    let sessions = &server.daemon.page.sessions;
    match sessions.exchange(&token, &secrets(&headers, server.port)) {
        Some(secret) => {
            tracing::info!("a browser was let in");
            (
                StatusCode::NO_CONTENT,
                [(SET_COOKIE, cookie(server.port, &secret))],
            )
                .into_response()
        }
        None => {
            tracing::warn!("a browser came with a token that is not good");
            let message = "this address was used before, or is too old: `pupitre app` opens the page\n";
            (StatusCode::FORBIDDEN, message).into_response()
        }
    }
}

/// Ends the session, and with it the WebSockets that it opened.
async fn logout(State(server): State<Server>, headers: HeaderMap) -> Response {
    let Server { daemon, port, .. } = server;
    daemon.page.sessions.end(&secrets(&headers, port));
    let forget = format!("{}=; {COOKIE_KIND}; Max-Age=0", cookie_name(port));
    (StatusCode::NO_CONTENT, [(SET_COOKIE, forget)]).into_response()
}

/// What an upload says of itself.
#[derive(Deserialize)]
struct UploadQuery {
    #[serde(default)]
    name: String,
}

async fn upload(
    State(server): State<Server>,
    headers: HeaderMap,
    Query(UploadQuery { name }): Query<UploadQuery>,
    body: Body,
) -> Response {
    let Server { daemon, port, .. } = server;
    if daemon.page.sessions.find(&secrets(&headers, port)).is_none() {
        return not_let_in();
    }
    match daemon.page.uploads.keep(&name, body).await {
        Ok(id) => {
            let reply = serde_json::json!({ "id": id }).to_string();
            ([(CONTENT_TYPE, "application/json")], reply).into_response()
        }
        Err(error) => {
            let status = match &error {
                UploadError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                UploadError::Stalled => StatusCode::REQUEST_TIMEOUT,
                UploadError::Broken(_) => StatusCode::BAD_REQUEST,
                UploadError::System(_) => StatusCode::INSUFFICIENT_STORAGE,
            };
            (status, error.to_string()).into_response()
        }
    }
}

async fn open_web_socket(
    State(server): State<Server>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Server {
        daemon,
        methods,
        port,
    } = server;
    let Some(session_ended) = daemon.page.sessions.find(&secrets(&headers, port)) else {
        return not_let_in();
    };
    let Some(counted) = daemon.page.connections.admit(PAGE_CONNECTIONS) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open\n").into_response();
    };
    let upgrade = upgrade
        .max_message_size(WEB_SOCKET_BYTES)
        .max_frame_size(WEB_SOCKET_BYTES);
    upgrade.on_upgrade(async move |socket| {
        let tasks = daemon.tasks.clone();
        let call = Call {
            daemon,
            asker: Asker::Page,
        };
        let served = tasks.spawn(web_socket::serve(call, methods, session_ended, counted, socket));
        if let Err(error) = served.await {
            tracing::error!(%error, "a WebSocket's task failed");
        }
    })
}

/// Returns a file of the page, which everybody may have: it holds nothing of anybody.
async fn page_file(State(server): State<Server>, uri: Uri, headers: HeaderMap) -> Response {
    let Some(file) = pupitre_webui::file(uri.path()) else {
        return (StatusCode::NOT_FOUND, "there is no such page\n").into_response();
    };
    let mut answer = HeaderMap::new();
    answer.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    match file.keeping {
        Keeping::ForEver => {
            answer.insert(
                CACHE_CONTROL,
                HeaderValue::from_static("public, max-age=31536000, immutable"),
            );
        }
        Keeping::Never => {
            answer.insert(CACHE_CONTROL, NO_STORE);
            if let Some(cookie) = longer(&server.daemon.page, &headers, server.port) {
                answer.insert(SET_COOKIE, cookie);
            }
        }
        Keeping::IfAsked => {
            let tag = tag_of(&file.hash);
            answer.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            answer.insert(ETAG, tag.clone());
            if headers.get(IF_NONE_MATCH) == Some(&tag) {
                return (StatusCode::NOT_MODIFIED, answer).into_response();
            }
        }
    }
    (answer, Body::from(file.bytes.into_owned())).into_response()
}

fn not_let_in() -> Response {
    let message = "this browser was not let in: `pupitre app` opens the page\n";
    (StatusCode::UNAUTHORIZED, message).into_response()
}

fn tag_of(hash: &[u8; 32]) -> HeaderValue {
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{hex}\"")).expect("quotes and hexadecimal digits")
}

/// Returns the cookie anew when the page is loaded, so that a browser in use stays let in.
fn longer(page: &Page, headers: &HeaderMap, port: u16) -> Option<HeaderValue> {
    let secrets = secrets(headers, port);
    let secret = secrets
        .iter()
        .find(|secret| page.sessions.find(&[secret]).is_some())?;
    HeaderValue::from_str(&cookie(port, secret)).ok()
}

const COOKIE_KIND: &str = "Path=/; HttpOnly; SameSite=Strict";

/// Browsers tell all ports of a host the same cookies, so the port is in the name.
fn cookie_name(port: u16) -> String {
    format!("pupitre_{port}")
}

fn cookie(port: u16, secret: &str) -> String {
    let seconds = PAGE_SESSION_MS / 1_000;
    format!("{}={secret}; {COOKIE_KIND}; Max-Age={seconds}", cookie_name(port))
}

/// Returns every value that a request has for our cookie; another server of this machine may have set some.
fn secrets(headers: &HeaderMap, port: u16) -> Vec<&str> {
    let name = cookie_name(port);
    let values = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(found, _)| *found == name)
        .map(|(_, secret)| secret)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cookie_of_this_port_counts() {
        let mut headers = HeaderMap::new();
        for line in [
            "theme=dark; pupitre_4100=one;pupitre_4101=other",
            "xpupitre_4100=x; pupitre_4100=a=b; pupitre_4100",
        ] {
            headers.append(COOKIE, HeaderValue::from_static(line));
        }
        assert_eq!(secrets(&headers, 4100), ["one", "a=b"]);
        assert_eq!(secrets(&headers, 4102), [""; 0]);
    }

    #[test]
    fn the_cookie_is_kept_from_scripts_and_from_other_sites() {
        assert_eq!(
            cookie(4100, "secret"),
            "pupitre_4100=secret; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
        );
    }
}
