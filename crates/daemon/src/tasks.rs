//! The only place where tasks and threads begin, so that their end can be awaited.

use std::future::Future;
use std::io;
use std::thread::JoinHandle as ThreadHandle;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The tasks of the daemon, and the word that it ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    /// Cancelled when listeners and connections must end.
    pub(crate) closing: CancellationToken,
}

impl Tasks {
    /// Begins a task whose end the daemon awaits when it closes.
    pub(crate) fn spawn<Work>(&self, work: Work) -> JoinHandle<Work::Output>
    where
        Work: Future + Send + 'static,
        Work::Output: Send + 'static,
    {
        #[expect(clippy::disallowed_methods, reason = "this is the place where tasks begin")]
        tokio::spawn(self.tracker.track_future(work))
    }

    /// Waits until every task has ended.
    pub(crate) async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Begins a thread of its own for work that blocks.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub(crate) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<ThreadHandle<()>> {
        std::thread::Builder::new().name(name.to_owned()).spawn(work)
    }
}
