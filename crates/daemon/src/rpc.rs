//! The socket: listening, connections, and the road of a request to its handler.

mod connection;
mod handlers;
mod listener;
mod request_lines;
mod requests;
mod router;
mod stream;
mod view;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pupitre_model::gate::FreeAccess;
use tokio::sync::watch;

use crate::configuration::ConfigHandle;
use crate::history::History;
use crate::http::Page;
use crate::hub::HubHandle;
use crate::process::Guards;
use crate::surface::Surfaces;
use crate::tasks::Tasks;

pub(crate) use listener::{ListenError, Listener};
pub(crate) use requests::{Requests, Taken};
pub(crate) use router::{Call, Router};
pub(crate) use view::frame;

/// What handlers work with.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) hub: HubHandle,
    pub(crate) history: History,
    pub(crate) tasks: Tasks,
    pub(crate) guards: Guards,
    pub(crate) surfaces: Surfaces,
    pub(crate) config: ConfigHandle,
    pub(crate) about: About,
    pub(crate) page: Arc<Page>,
    pub(crate) shutdown: Shutdown,
    pub(crate) connections: ConnectionCount,
}

impl Daemon {
    /// Says whether agents may do what their user's own programs may.
    pub(crate) fn free_access(&self) -> FreeAccess {
        self.config.held().config.free_access
    }
}

/// What the daemon says of itself.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) version: &'static str,
    /// In epoch milliseconds.
    pub(crate) started_at: u64,
    pub(crate) log_path: PathBuf,
    /// Of the user that it runs for.
    pub(crate) home: PathBuf,
}

/// The wish that the daemon ends, and the word that its agents have.
#[derive(Debug)]
pub(crate) struct Shutdown {
    pub(crate) asked: watch::Sender<bool>,
    pub(crate) drained: watch::Sender<bool>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self {
            asked: watch::Sender::new(false),
            drained: watch::Sender::new(false),
        }
    }
}

/// Counts open connections.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionCount(Arc<AtomicUsize>);

/// One open connection, as long as it lives.
#[derive(Debug)]
pub(crate) struct CountedConnection(Arc<AtomicUsize>);

impl ConnectionCount {
    /// Counts one more, unless `most` are open.
    pub(crate) fn admit(&self, most: usize) -> Option<CountedConnection> {
        let room = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| {
            (open < most).then_some(open + 1)
        });
        room.ok().map(|_| CountedConnection(Arc::clone(&self.0)))
    }

    pub(crate) fn open(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
