//! Who looks at a pane: each gets everything to draw it, then its bytes as they come. One that is too slow is drawn anew
//! instead of making the program wait or the daemon grow.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use pupitre_protocol::limits::{SNAPSHOT_BYTES, VIEWER_QUEUE_BYTES};
use pupitre_protocol::surface::{ExitStatus, PaneSize};
use tokio::sync::Notify;

use super::Pane;

/// What a viewer is told.
#[derive(Debug, Clone)]
pub(crate) enum ViewerNews {
    /// Everything to draw the pane, for a terminal that was just reset.
    Snapshot {
        size: PaneSize,
        bytes: Vec<u8>,
    },
    Output(Arc<[u8]>),
    Ended(ExitStatus),
    /// Nothing comes after it.
    Closed,
}

/// The viewers of one pane.
#[derive(Debug, Default)]
pub(super) struct Viewers {
    all: Vec<Weak<Queue>>,
}

/// One viewer's place. Dropping it ends the viewing.
pub(crate) struct Viewer {
    pane: Pane,
    queue: Arc<Queue>,
}

#[derive(Debug)]
struct Queue {
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug)]
struct Waiting {
    news: VecDeque<ViewerNews>,
    bytes: usize,
    /// The pane has to be drawn anew before anything else.
    redraw: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting
            .lock()
            .expect("nothing panics while it holds a viewer's queue")
    }

    fn push(&self, news: ViewerNews) {
        let mut waiting = self.lock();
        let bytes = match &news {
            ViewerNews::Output(bytes) => bytes.len(),
            ViewerNews::Snapshot { .. } | ViewerNews::Ended(_) | ViewerNews::Closed => 0,
        };
        // What is drawn anew shows these bytes already.
        if !waiting.redraw || bytes == 0 {
            waiting.news.push_back(news);
            waiting.bytes += bytes;
        }
        if waiting.bytes > VIEWER_QUEUE_BYTES {
            waiting.forget_output();
            waiting.redraw = true;
        }
        drop(waiting);
        self.more.notify_one();
    }
}

impl Waiting {
    fn forget_output(&mut self) {
        self.news.retain(|news| !matches!(news, ViewerNews::Output(_)));
        self.bytes = 0;
    }
}

impl Viewers {
    pub(super) fn count(&mut self) -> usize {
        self.all.retain(|queue| queue.strong_count() > 0);
        self.all.len()
    }

    /// Adds a viewer. One that comes after the program's end is told of it once it has seen what is left.
    pub(super) fn add(&mut self, pane: Pane, ended: Option<ExitStatus>) -> Viewer {
        let queue = Arc::new(Queue {
            waiting: Mutex::new(Waiting {
                news: ended.map(ViewerNews::Ended).into_iter().collect(),
                bytes: 0,
                redraw: true,
            }),
            more: Notify::new(),
        });
        self.all.push(Arc::downgrade(&queue));
        Viewer { pane, queue }
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        if self.count() > 0 {
            let bytes: Arc<[u8]> = bytes.into();
            self.tell(&ViewerNews::Output(bytes));
        }
    }

    /// Has every viewer draw the pane anew: it has another size.
    pub(super) fn redraw(&mut self) {
        for queue in self.all.iter().filter_map(Weak::upgrade) {
            let mut waiting = queue.lock();
            waiting.forget_output();
            waiting.redraw = true;
            drop(waiting);
            queue.more.notify_one();
        }
    }

    pub(super) fn tell(&mut self, news: &ViewerNews) {
        for queue in self.all.iter().filter_map(Weak::upgrade) {
            queue.push(news.clone());
        }
    }
}

impl Viewer {
    /// Waits for what comes next. Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> ViewerNews {
        loop {
            if let Some(news) = self.take() {
                return news;
            }
            self.queue.more.notified().await;
        }
    }

    fn take(&mut self) -> Option<ViewerNews> {
        let redraw = self.queue.lock().redraw;
        if redraw {
            // The pane comes before its viewers' queues, here as where output is told, so that nothing falls in between.
            let snapshot = self.pane.inspect(|state| {
                let mut waiting = self.queue.lock();
                waiting.forget_output();
                waiting.redraw = false;
                ViewerNews::Snapshot {
                    size: state.size(),
                    bytes: state.screen.snapshot_within(SNAPSHOT_BYTES),
                }
            });
            return Some(snapshot);
        }
        let mut waiting = self.queue.lock();
        let news = waiting.news.pop_front()?;
        if let ViewerNews::Output(bytes) = &news {
            waiting.bytes -= bytes.len();
        }
        Some(news)
    }
}
