//! The page's server: HTTP on loopback alone, and what may be asked of it by whom.
//!
//! Responsible for listening, for the order of the checks, and for what every answer carries. Who was let in is
//! `sessions.rs`'s, whether a request may be answered at all `admission.rs`'s.

mod address;
mod admission;
mod routes;
mod sessions;
mod uploads;
mod web_socket;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use pupitre_protocol::limits::{HTTP_HEAD_MS, PAGE_CONNECTIONS};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::rpc::{ConnectionCount, Daemon, Router};
use sessions::Sessions;

pub(crate) use address::PortError;
pub(crate) use uploads::Uploads;

/// How long no connection is accepted after one could not be.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 32 << 10;

/// What the answer is when no more connections may be open.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";

/// The page, as far as the rest of the daemon has to do with it.
#[derive(Debug)]
pub(crate) struct Page {
    port: Result<u16, PortError>,
    sessions: Sessions,
    uploads: Uploads,
    connections: ConnectionCount,
}

/// The sockets on which browsers are awaited.
pub(crate) struct PageListener {
    listeners: Vec<TcpListener>,
}

impl Page {
    /// Listens on loopback, on `port`, or for 0 on the port of the last time, else on any.
    ///
    /// A daemon whose port cannot be had works all the same; whoever asks for the page is told.
    ///
    /// # Errors
    ///
    /// When the state folder cannot be used.
    pub(crate) async fn open(state_folder: &Path, port: u16) -> io::Result<(Self, PageListener)> {
        let sessions = Sessions::open(state_folder.join("page.json"))?;
        let uploads = Uploads::open(state_folder.join("uploads"))?;
        let (port, listeners) = match address::listen(port, sessions.last_port()).await {
            Ok((port, listeners)) => {
                sessions.set_port(port);
                (Ok(port), listeners)
            }
            Err(error) => {
                tracing::error!(%error, "there is no page");
                (Err(error), Vec::new())
            }
        };
        let page = Self {
            port,
            sessions,
            uploads,
            connections: ConnectionCount::default(),
        };
        Ok((page, PageListener { listeners }))
    }

    /// Returns an address that lets one browser in.
    pub(crate) fn new_url(&self) -> Result<String, &PortError> {
        let port = self.port.as_ref()?;
        let token = self.sessions.new_token();
        Ok(format!("http://127.0.0.1:{port}/#token={token}"))
    }

    pub(crate) fn uploads(&self) -> &Uploads {
        &self.uploads
    }
}

impl PageListener {
    /// Serves browsers until the daemon closes.
    pub(crate) fn run(self, daemon: &Arc<Daemon>, router: &Arc<Router>) {
        let Ok(port) = daemon.page.port else { return };
        tracing::info!(port, "the page is served");
        let service = routes::service(Arc::clone(daemon), Arc::clone(router), port);
        for listener in self.listeners {
            let accepting = accept(Arc::clone(daemon), listener, service.clone());
            daemon.tasks.spawn(accepting);
        }
    }
}

async fn accept(daemon: Arc<Daemon>, listener: TcpListener, service: axum::Router) {
    let closing = daemon.tasks.closing.clone();
    let mut failing = false;
    loop {
        let accepted = tokio::select! {
            () = closing.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                failing = false;
                let work = serve(Arc::clone(&daemon), stream, service.clone());
                daemon.tasks.spawn(work);
            }
            Err(error) => {
                // No descriptor left, most likely. Told once.
                if !std::mem::replace(&mut failing, true) {
                    tracing::error!(%error, "browsers' connections cannot be accepted");
                }
                tokio::select! {
                    () = closing.cancelled() => return,
                    () = tokio::time::sleep(AFTER_FAILURE) => {}
                }
            }
        }
    }
}

/// Serves one connection until it is closed by either side, or becomes a WebSocket.
async fn serve(daemon: Arc<Daemon>, mut stream: TcpStream, service: axum::Router) {
    let Some(_counted) = daemon.page.connections.admit(PAGE_CONNECTIONS) else {
        tracing::warn!("{PAGE_CONNECTIONS} connections to the page are open, which is the limit");
        // Whoever is turned away may have gone already.
        stream.write_all(FULL).await.ok();
        return;
    };
    // Small frames must not wait for the answer to the ones before; where it cannot be had they only come later.
    stream.set_nodelay(true).ok();
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_millis(HTTP_HEAD_MS))
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
            .with_upgrades()
    );
    let closing = &daemon.tasks.closing;
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a browser's connection broke");
    }
}
