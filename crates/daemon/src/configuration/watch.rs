//! Noticing that the file may have changed: by whatever editor, through links, and with its folder replaced.
//!
//! Every folder on the way to the file is watched, links resolved step by step, and only the names on the way count. So
//! a file that is written over, a link that leads elsewhere, and a folder that another one takes the place of are all
//! one thing: an entry of a watched folder changed. Where the system gives no watch, the file is looked at regularly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

/// The most steps to a file: more are a circle of links.
const STEPS: usize = 256;
/// How often the way is gone again at once, while it changes under our feet.
const ROUNDS: usize = 8;

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
    known: Arc<Mutex<Known>>,
    signals: mpsc::Receiver<()>,
    noticing: Noticing,
    /// Folders that cannot be watched; each is told once.
    unwatched: BTreeSet<PathBuf>,
}

/// Tells one folder from another one with the same path: device and inode. A folder that is made where one was removed
/// may be given the inode of that one.
type Identity = (u64, u64);

/// What the watcher's own thread must know of the way, and tells of it.
#[derive(Debug, Default)]
struct Known {
    names: BTreeSet<PathBuf>,
    /// Those that are watched.
    folders: BTreeSet<PathBuf>,
    /// Something happened to one of the folders: the system, or the watcher, may have ended watches.
    is_shaken: bool,
}

impl Known {
    /// Takes note of what happened, and returns whether it concerns the way.
    fn concerns(&mut self, event: &notify::Result<Event>) -> bool {
        let Ok(event) = event else {
            self.is_shaken = true;
            return true;
        };
        if event.need_rescan() {
            self.is_shaken = true;
            return true;
        }
        if !is_change(event) {
            return false;
        }
        self.is_shaken |= event.paths.iter().any(|path| self.folders.contains(path));
        event.paths.iter().any(|path| self.names.contains(path))
    }
}

impl Watch {
    pub(super) fn new() -> Self {
        let known: Arc<Mutex<Known>> = Arc::default();
        // One signal that waits is as good as many.
        let (signal, signals) = mpsc::channel(1);
        let told = Arc::clone(&known);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if lock(&told).concerns(&event) {
                signal.try_send(()).ok();
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "the configuration cannot be watched; it is looked at regularly");
        }
        Self {
            watcher: watcher.ok(),
            folders: BTreeMap::new(),
            known,
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
        for _ in 0..ROUNDS {
            let way = Way::to(file);
            self.watch(&way);
            // What came to be on the way before its folder was watched is told by nobody.
            if Way::to(file) == way {
                return;
            }
        }
        self.noticing = Noticing::ByLooking;
    }

    fn watch(&mut self, way: &Way) {
        let is_shaken = {
            let mut known = lock(&self.known);
            known.names.clone_from(&way.names);
            known.folders = way.folders.keys().cloned().collect();
            std::mem::take(&mut known.is_shaken)
        };
        let Some(watcher) = &mut self.watcher else { return };
        let old = std::mem::take(&mut self.folders);
        let stays = |folder: &Path, identity: Identity| {
            // A folder may be another one although it looks the same.
            !is_shaken && way.folders.get(folder) == Some(&identity)
        };
        for (folder, identity) in &old {
            if !stays(folder, *identity) {
                // The system has ended the watch of a folder that is gone.
                watcher.unwatch(folder).ok();
            }
        }
        self.noticing = Noticing::ByWatch;
        for (folder, identity) in &way.folders {
            let is_watched = old.get(folder) == Some(identity) && stays(folder, *identity);
            if !is_watched && let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                let is_there = !matches!(error.kind, notify::ErrorKind::PathNotFound);
                if is_there && self.unwatched.insert(folder.clone()) {
                    tracing::warn!(folder = %folder.display(), %error, "a folder cannot be watched; the configuration is looked at regularly");
                }
                self.noticing = Noticing::ByLooking;
                continue;
            }
            self.folders.insert(folder.clone(), *identity);
        }
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The way from the root to a file: the names that lead there, and the folders in which they stand, as far as there are.
#[derive(Debug, Default, PartialEq, Eq)]
struct Way {
    names: BTreeSet<PathBuf>,
    folders: BTreeMap<PathBuf, Identity>,
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
            if let Ok(metadata) = std::fs::metadata(&folder) {
                way.folders
                    .insert(folder.clone(), (metadata.dev(), metadata.ino()));
            }
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    /// A change is told within a moment, or never.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// More than what may still come of a replacement when the edits begin.
    const EDITS: usize = 40;

    /// Replaces what is on the way again and again; after each time, every edit of the file must be told.
    async fn check(lead: &str, mut replace: impl FnMut(&Path)) {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let file = root.join(lead);
        replace(&root);
        fs::write(&file, "").unwrap();
        let mut watch = Watch::new();
        watch.follow(&file);
        for _ in 0..5 {
            replace(&root);
            for edit in 0..EDITS {
                fs::write(&file, edit.to_string()).unwrap();
                let told = tokio::time::timeout(PATIENCE, watch.changed()).await;
                assert!(told.is_ok(), "edit {edit} of {lead} is told by nobody");
                watch.follow(&file);
            }
            assert_eq!(watch.noticing(), Noticing::ByWatch);
        }
    }

    fn make_again(folder: &Path) {
        if folder.exists() {
            fs::remove_dir_all(folder).unwrap();
        }
        fs::create_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_folder_that_is_removed_and_made_again_is_watched() {
        check("folder/file", |root| make_again(&root.join("folder"))).await;
    }

    #[tokio::test]
    async fn so_is_one_that_is_removed_twice() {
        check("folder/file", |root| {
            make_again(&root.join("folder"));
            make_again(&root.join("folder"));
        })
        .await;
    }

    #[tokio::test]
    async fn so_are_the_folders_below_one_that_is_made_again() {
        check("above/between/folder/file", |root| {
            if root.join("above").exists() {
                fs::remove_dir_all(root.join("above")).unwrap();
            }
            fs::create_dir_all(root.join("above/between/folder")).unwrap();
        })
        .await;
    }

    #[tokio::test]
    async fn so_is_one_to_which_a_link_leads() {
        let mut number = 0;
        check("link/file", |root| {
            number += 1;
            // Two folders take turns.
            let folder = root.join(format!("folder-{}", number % 2));
            make_again(&folder);
            fs::remove_file(root.join("link")).ok();
            symlink(&folder, root.join("link")).unwrap();
        })
        .await;
        check("link/file", |root| {
            make_again(&root.join("folder"));
            fs::remove_file(root.join("link")).ok();
            symlink("folder", root.join("link")).unwrap();
        })
        .await;
    }

    #[tokio::test]
    async fn so_is_one_that_another_one_takes_the_place_of() {
        check("folder/file", |root| {
            make_again(&root.join("new"));
            let folder = root.join("folder");
            if folder.exists() {
                fs::rename(&folder, root.join("old")).unwrap();
            }
            fs::rename(root.join("new"), &folder).unwrap();
            if root.join("old").exists() {
                fs::remove_dir_all(root.join("old")).unwrap();
            }
        })
        .await;
    }
}
