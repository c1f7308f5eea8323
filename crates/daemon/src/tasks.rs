//! The only place where tasks and threads begin, so that their end can be awaited.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle as ThreadHandle;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most threads that work on the output of panes.
const PANE_THREADS: usize = 4;

/// The tasks of the daemon, and the word that it ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    /// Cancelled when listeners and connections must end.
    pub(crate) closing: CancellationToken,
    panes: Arc<PaneThreads>,
}

/// The threads of panes, from the first one on: what floods keeps nobody else waiting there.
#[derive(Debug, Default)]
struct PaneThreads(Mutex<Option<Runtime>>);

impl Drop for PaneThreads {
    fn drop(&mut self) {
        let runtime = self.0.get_mut().ok().and_then(Option::take);
        if let Some(runtime) = runtime {
            // It may be dropped where nobody may wait.
            runtime.shutdown_background();
        }
    }
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

    /// Begins the task of a pane, on threads of its own kind: the system shares the processors between them and the others.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub(crate) fn spawn_pane(&self, work: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let mut threads = self
            .panes
            .0
            .lock()
            .expect("nothing panics while it holds the threads");
        let runtime = match &mut *threads {
            Some(runtime) => runtime,
            none => none.insert(
                Builder::new_multi_thread()
                    .worker_threads(
                        std::thread::available_parallelism()
                            .map_or(2, |threads| threads.get().min(PANE_THREADS)),
                    )
                    .thread_name("panes")
                    .enable_all()
                    .build()?,
            ),
        };
        runtime.spawn(self.tracker.track_future(work));
        Ok(())
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
