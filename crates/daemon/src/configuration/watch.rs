//! Noticing that the file may have changed: by whatever editor, through links, and with its folder replaced.
//!
//! Every folder on the way to the file is watched, links resolved step by step, and only the names on the way count. So
//! a file that is written over, a link that leads elsewhere, and a folder that another one takes the place of are all
//! one thing: an entry of a watched folder changed. Where the system gives no watch, the file is looked at regularly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

/// The most steps to a file: more are a circle of links.
const STEPS: usize = 256;

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noticing {
    ByWatch,
    /// There is no watch: someone has to look.
    ByLooking,
}

/// A watch over the way to one file.
pub(super) struct Watch {
    /// None where the system gives none.
    watcher: Option<RecommendedWatcher>,
    /// What is watched, and which folder that was.
    folders: BTreeMap<PathBuf, Identity>,
    names: Arc<Mutex<BTreeSet<PathBuf>>>,
    signals: mpsc::Receiver<()>,
    noticing: Noticing,
    /// Folders that cannot be watched; each is told once.
    unwatched: BTreeSet<PathBuf>,
}

/// Tells one folder from another one with the same path: device and inode.
type Identity = (u64, u64);

impl Watch {
    pub(super) fn new() -> Self {
        let names: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
        // One signal that waits is as good as many.
        let (signal, signals) = mpsc::channel(1);
        let on_the_way = Arc::clone(&names);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let concerns_us = match event {
                Ok(event) => {
                    let names = on_the_way.lock().unwrap_or_else(PoisonError::into_inner);
                    event.need_rescan()
                        || (is_change(&event) && event.paths.iter().any(|path| names.contains(path)))
                }
                Err(_) => true,
            };
            if concerns_us {
                signal.try_send(()).ok();
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "the configuration cannot be watched; it is looked at regularly");
        }
        Self {
            watcher: watcher.ok(),
            folders: BTreeMap::new(),
            names,
            signals,
            noticing: Noticing::ByLooking,
            unwatched: BTreeSet::new(),
        }
    }

    /// Waits until something on the way may have changed.
    pub(super) async fn changed(&mut self) {
        match self.watcher {
            // The watcher holds the sender, so that there always is one.
            Some(_) => drop(self.signals.recv().await),
            None => std::future::pending().await,
        }
    }

    pub(super) const fn noticing(&self) -> Noticing {
        self.noticing
    }

    /// Watches the way to this file as it is now.
    pub(super) fn follow(&mut self, file: &Path) {
        let way = Way::to(file);
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = way.names;
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: BTreeMap<PathBuf, Identity> = way
            .folders
            .into_iter()
            .filter_map(|folder| {
                let metadata = std::fs::metadata(&folder).ok()?;
                Some((folder, (metadata.dev(), metadata.ino())))
            })
            .collect();
        let old = std::mem::take(&mut self.folders);
        for (folder, identity) in &old {
            if wanted.get(folder) != Some(identity) {
                // The system has ended the watch of a folder that is gone.
                watcher.unwatch(folder).ok();
            }
        }
        self.noticing = Noticing::ByWatch;
        for (folder, identity) in wanted {
            if old.get(&folder) != Some(&identity)
                && let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive)
            {
                if self.unwatched.insert(folder.clone()) {
                    tracing::warn!(folder = %folder.display(), %error, "a folder cannot be watched; the configuration is looked at regularly");
                }
                self.noticing = Noticing::ByLooking;
                continue;
            }
            self.folders.insert(folder, identity);
        }
    }
}

/// Reading a file is no change of it, also when we do it ourselves.
fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// The way from the root to a file: the names that lead there, and the folders in which they stand.
#[derive(Debug, Default)]
struct Way {
    names: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Way {
    fn to(file: &Path) -> Self {
        let mut way = Self::default();
        let mut ahead: VecDeque<OsString> = steps(file);
        let mut folder = PathBuf::from("/");
        for _ in 0..STEPS {
            let Some(step) = ahead.pop_front() else { break };
            if step == ".." {
                folder.pop();
                continue;
            }
            let name = folder.join(&step);
            way.folders.insert(folder.clone());
            way.names.insert(name.clone());
            match std::fs::read_link(&name) {
                Ok(target) => {
                    if target.is_absolute() {
                        folder = PathBuf::from("/");
                    }
                    let mut rest = steps(&target);
                    rest.append(&mut ahead);
                    ahead = rest;
                }
                Err(_) => folder = name,
            }
        }
        way
    }
}

fn steps(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}
