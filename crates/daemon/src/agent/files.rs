//! Files for agents: reading and writing text beneath the folder of a session, and nowhere else.
//!
//! The kernel resolves each path beneath the folder in one step (`openat2` with `RESOLVE_BENEATH`), so that nothing can be
//! swapped for a link between a check and the use of it. Blocks: its callers run it where that is allowed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pupitre_protocol::limits::{FILE_BYTES, FILE_SCAN_BYTES};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Which lines of a file are wanted; all of them when nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The first, counted from 1.
    pub(super) first: Option<u64>,
    pub(super) count: Option<u64>,
}

/// Why a file was not read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("{} is not an absolute path", path.display())]
    NotAbsolute { path: PathBuf },
    #[error("{} is outside of the session's folder {}", path.display(), folder.display())]
    Outside { path: PathBuf, folder: PathBuf },
    /// The words are those that agents look for in order to tell a new file from a failure.
    #[error("ENOENT: no such file or directory: {} does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("{} is no regular file", path.display())]
    NotRegular { path: PathBuf },
    #[error("{} may be written by nobody: change its mode first", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} has more than {FILE_BYTES} bytes: ask for some of its lines", path.display())]
    TooLarge { path: PathBuf },
    #[error("{} is no UTF-8 text", path.display())]
    NotText { path: PathBuf },
    #[error("{}: {source}", path.display())]
    System { path: PathBuf, source: io::Error },
}

/// The folder of a session.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    descriptor: OwnedFd,
}

/// How often a link may lead to another one, as in the kernel.
const MOST_LINKS: usize = 40;

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, FileError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor =
            rustix::fs::open(path, flags, Mode::empty()).map_err(|error| told(error, path, path))?;
        Ok(Self {
            path: path.to_owned(),
            descriptor,
        })
    }

    /// Returns the text of a file, or some lines of it.
    pub(super) fn read(&self, path: &Path, lines: Lines) -> Result<String, FileError> {
        let below = self.end_of_links(path)?;
        // Without NONBLOCK the opening of a pipe would wait for somebody to write into it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(
            self.open_below(&below, flags)
                .map_err(|error| told(error, path, &self.path))?,
        );
        let metadata = file.metadata().map_err(|source| system(path, source))?;
        if !metadata.is_file() {
            return Err(FileError::NotRegular {
                path: path.to_owned(),
            });
        }
        let bytes = some_lines(BufReader::new(file), lines, path)?;
        String::from_utf8(bytes).map_err(|_| FileError::NotText {
            path: path.to_owned(),
        })
    }

    /// Puts a text in the place of a file, as one step; an old file keeps its mode, a new one gets that of `umask`. Missing
    /// folders are made.
    pub(super) fn write(&self, path: &Path, text: &str, umask: Mode) -> Result<(), FileError> {
        let new_mode = Mode::from_raw_mode(0o666).difference(umask);
        let below = self.end_of_links(path)?;
        let name = below
            .file_name()
            .ok_or_else(|| FileError::NotRegular {
                path: path.to_owned(),
            })?
            .to_owned();
        let parent = self
            .open_or_make(below.parent().unwrap_or(Path::new("")), umask)
            .map_err(|error| told(error, path, &self.path))?;
        let mode = match rustix::fs::statat(&parent, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
                if stat.st_mode & 0o222 == 0 {
                    return Err(FileError::ReadOnly {
                        path: path.to_owned(),
                    });
                }
                Mode::from_raw_mode(stat.st_mode & 0o7777)
            }
            Ok(_) => {
                return Err(FileError::NotRegular {
                    path: path.to_owned(),
                });
            }
            Err(Errno::NOENT) => new_mode,
            Err(error) => return Err(told(error, path, &self.path)),
        };
        let temporary = temporary_name();
        let written = write_whole(parent.as_fd(), &temporary, text, mode)
            .and_then(|()| Ok(rustix::fs::renameat(&parent, &temporary, &parent, &name)?));
        if written.is_err() {
            // What it was is told below; the half-written file is worth nothing.
            rustix::fs::unlinkat(&parent, &temporary, AtFlags::empty()).ok();
        }
        written.map_err(|source| system(path, source))
    }

    /// Returns the path below the folder.
    fn below(&self, path: &Path) -> Result<PathBuf, FileError> {
        if !path.is_absolute() {
            return Err(FileError::NotAbsolute {
                path: path.to_owned(),
            });
        }
        let outside = || FileError::Outside {
            path: path.to_owned(),
            folder: self.path.clone(),
        };
        if let Ok(below) = path.strip_prefix(&self.path) {
            return Ok(below.to_owned());
        }
        // The folder may have two names, one through a link.
        let real = self.path.canonicalize().map_err(|_| outside())?;
        path.strip_prefix(real).map(Path::to_owned).map_err(|_| outside())
    }

    /// Returns where a path leads that may itself be a link: a file is replaced, a link to it stays.
    fn end_of_links(&self, path: &Path) -> Result<PathBuf, FileError> {
        let mut below = self.below(path)?;
        for _ in 0..MOST_LINKS {
            let Some(name) = below.file_name().map(ToOwned::to_owned) else {
                return Ok(below);
            };
            let parent_path = below.parent().unwrap_or(Path::new("")).to_owned();
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let parent = match self.open_below(&parent_path, flags) {
                Ok(parent) => parent,
                Err(Errno::NOENT) => return Ok(below),
                Err(error) => return Err(told(error, path, &self.path)),
            };
            let target = match rustix::fs::readlinkat(&parent, &name, Vec::new()) {
                Ok(target) => target,
                // It is no link, or is not there.
                Err(Errno::INVAL | Errno::NOENT) => return Ok(below),
                Err(error) => return Err(told(error, path, &self.path)),
            };
            let target =
                Path::new(
                    std::str::from_utf8(target.to_bytes()).map_err(|_| FileError::NotRegular {
                        path: path.to_owned(),
                    })?,
                )
                .to_owned();
            below = if target.is_absolute() {
                self.below(&target)?
            } else {
                parent_path.join(target)
            };
        }
        Err(told(Errno::LOOP, path, &self.path))
    }

    #[cfg(target_os = "linux")]
    fn open_below(&self, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let below = if below.as_os_str().is_empty() {
            Path::new(".")
        } else {
            below
        };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        loop {
            match openat2(&self.descriptor, below, flags, Mode::empty(), resolve) {
                // The kernel could not be sure, because something was renamed meanwhile.
                Err(Errno::AGAIN | Errno::INTR) => {}
                outcome => return outcome,
            }
        }
    }

    /// Without `openat2` no link is followed at all.
    #[cfg(not(target_os = "linux"))]
    fn open_below(&self, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut at = rustix::io::dup(&self.descriptor)?;
        let mut components = below.components().peekable();
        while let Some(component) = components.next() {
            let Component::Normal(name) = component else {
                return Err(Errno::XDEV);
            };
            let flags = match components.peek() {
                Some(_) => OFlags::DIRECTORY | OFlags::RDONLY,
                None => flags,
            };
            at = rustix::fs::openat(
                &at,
                name,
                flags | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                Mode::empty(),
            )?;
        }
        Ok(at)
    }

    fn open_or_make(&self, below: &Path, umask: Mode) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match self.open_below(below, flags) {
            Err(Errno::NOENT) => {}
            outcome => return outcome,
        }
        // Only plain names: a way up and down again through what is not there is no path to make.
        let mut made = PathBuf::new();
        for component in below.components() {
            let Component::Normal(name) = component else {
                return Err(Errno::NOENT);
            };
            let parent = self.open_below(&made, flags)?;
            match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o700)) {
                // The daemon's own mask is stricter than the user's.
                Ok(()) => {
                    let mode = Mode::from_raw_mode(0o777).difference(umask);
                    rustix::fs::chmodat(&parent, name, mode, AtFlags::empty())?;
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            made.push(name);
        }
        self.open_below(below, flags)
    }
}

fn write_whole(parent: BorrowedFd<'_>, name: &str, text: &str, mode: Mode) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let descriptor = rustix::fs::openat(parent, name, flags, Mode::from_raw_mode(0o600))?;
    rustix::fs::fchmod(&descriptor, mode)?;
    let mut file = File::from(descriptor);
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".pupitre-{}-{count}.tmp", std::process::id())
}

fn some_lines(mut text: impl BufRead, lines: Lines, path: &Path) -> Result<Vec<u8>, FileError> {
    let too_large = || FileError::TooLarge {
        path: path.to_owned(),
    };
    let mut bytes = Vec::new();
    let mut passed_over = 0;
    for _ in 1..lines.first.unwrap_or(1) {
        // Lines that are passed over are not kept, but looked at.
        let left = FILE_SCAN_BYTES - passed_over;
        let skipped = text.by_ref().take(left).skip_until(b'\n');
        match skipped.map_err(|source| system(path, source))? {
            0 if left > 0 => return Ok(bytes),
            skipped => passed_over += u64::try_from(skipped).expect("a length fits 64 bits"),
        }
        if passed_over >= FILE_SCAN_BYTES {
            return Err(too_large());
        }
    }
    let room = |bytes: &Vec<u8>| u64::try_from(FILE_BYTES + 1 - bytes.len()).expect("a length fits 64 bits");
    match lines.count {
        None => {
            let limit = room(&bytes);
            text.take(limit)
                .read_to_end(&mut bytes)
                .map_err(|source| system(path, source))?;
        }
        Some(count) => {
            for _ in 0..count {
                let limit = room(&bytes);
                let read = text.by_ref().take(limit).read_until(b'\n', &mut bytes);
                if read.map_err(|source| system(path, source))? == 0 {
                    break;
                }
                if bytes.len() > FILE_BYTES {
                    return Err(too_large());
                }
            }
        }
    }
    if bytes.len() > FILE_BYTES {
        return Err(too_large());
    }
    Ok(bytes)
}

fn system(path: &Path, source: io::Error) -> FileError {
    FileError::System {
        path: path.to_owned(),
        source,
    }
}

fn told(error: Errno, path: &Path, folder: &Path) -> FileError {
    let path = path.to_owned();
    match error {
        Errno::NOENT | Errno::NOTDIR => FileError::Missing { path },
        // Beneath is where the kernel stays.
        Errno::XDEV => FileError::Outside {
            path,
            folder: folder.to_owned(),
        },
        error => FileError::System {
            path,
            source: error.into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const UMASK: Mode = Mode::from_raw_mode(0o022);

    struct Scene {
        _all: tempfile::TempDir,
        outside: PathBuf,
        root: PathBuf,
        folder: Folder,
    }

    fn scene() -> Scene {
        let all = tempfile::tempdir().expect("a temporary folder");
        let root = all.path().join("session");
        fs::create_dir(&root).expect("it is ours");
        let outside = all.path().join("outside");
        fs::write(&outside, "secret").expect("it is ours");
        fs::write(root.join("text"), "one\ntwo\nthree\n").expect("it is ours");
        let folder = Folder::open(&root).expect("it is there");
        Scene {
            _all: all,
            outside,
            root,
            folder,
        }
    }

    impl Scene {
        fn read(&self, name: &str) -> Result<String, String> {
            let read = self.folder.read(&self.root.join(name), Lines::default());
            read.map_err(|error| error.to_string())
        }

        fn write(&self, name: &str, text: &str) -> Result<(), String> {
            let written = self.folder.write(&self.root.join(name), text, UMASK);
            written.map_err(|error| error.to_string())
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let scene = scene();
        let some = |first, count| {
            let lines = Lines { first, count };
            scene
                .folder
                .read(&scene.root.join("text"), lines)
                .expect("it can be read")
        };
        assert_eq!(some(None, None), "one\ntwo\nthree\n");
        assert_eq!(some(Some(2), None), "two\nthree\n");
        assert_eq!(some(None, Some(2)), "one\ntwo\n");
        assert_eq!(some(Some(3), Some(9)), "three\n");
        assert_eq!(some(Some(9), Some(1)), "");
    }

    #[test]
    fn nothing_outside_is_read_or_written() {
        let scene = scene();
        symlink(&scene.outside, scene.root.join("link")).expect("a link");
        symlink("../outside", scene.root.join("relative")).expect("a link");
        symlink("..", scene.root.join("up")).expect("a link");
        for name in ["../outside", "link", "relative", "up/outside"] {
            for outcome in [scene.read(name).map(drop), scene.write(name, "changed")] {
                let error = outcome.expect_err(name);
                assert!(
                    error.contains("outside of the session's folder"),
                    "{name}: {error}"
                );
            }
        }
        let elsewhere = scene
            .folder
            .read(&scene.outside, Lines::default())
            .expect_err("it is outside");
        assert!(elsewhere.to_string().contains("outside"), "{elsewhere}");
        let relative = scene
            .folder
            .read(Path::new("text"), Lines::default())
            .expect_err("which one?");
        assert!(relative.to_string().contains("absolute"), "{relative}");
        assert_eq!(fs::read_to_string(&scene.outside).expect("still there"), "secret");
    }

    #[test]
    fn what_nobody_may_write_is_left_alone() {
        let scene = scene();
        let text = scene.root.join("text");
        fs::set_permissions(&text, fs::Permissions::from_mode(0o400)).expect("it is ours");
        let before = fs::read_to_string(&text).expect("it can be read");
        let error = scene.write("text", "new").expect_err("it is read-only");
        assert!(error.contains("may be written by nobody"), "{error}");
        assert_eq!(fs::read_to_string(&text).expect("it can be read"), before);
    }

    #[test]
    fn a_write_keeps_modes_and_links_and_leaves_nothing_beside() {
        let scene = scene();
        let text = scene.root.join("text");
        fs::set_permissions(&text, fs::Permissions::from_mode(0o750)).expect("it is ours");
        symlink("text", scene.root.join("link")).expect("a link");
        scene.write("link", "new").expect("beneath");
        assert_eq!(scene.read("text").expect("it is there"), "new");
        assert!(
            fs::symlink_metadata(scene.root.join("link"))
                .expect("it is there")
                .is_symlink()
        );
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o7777;
        assert_eq!(mode(&text), 0o750);
        scene.write("deep/er/file", "made").expect("beneath");
        assert_eq!(scene.read("deep/er/file").expect("it is there"), "made");
        assert_eq!(mode(&scene.root.join("deep/er/file")), 0o644);
        assert_eq!(mode(&scene.root.join("deep/er")), 0o755);
        let names = fs::read_dir(&scene.root).expect("it is ours").count();
        assert_eq!(names, 3, "text, link, deep");
    }

    #[test]
    fn a_link_that_stays_beneath_is_followed_however_it_is_written() {
        let scene = scene();
        symlink(scene.root.join("text"), scene.root.join("absolute")).expect("a link");
        symlink("text", scene.root.join("relative")).expect("a link");
        for name in ["absolute", "relative"] {
            assert_eq!(scene.read(name).expect(name), "one\ntwo\nthree\n");
        }
    }

    #[test]
    fn what_is_passed_over_has_a_limit() {
        let scene = scene();
        let hole = File::create(scene.root.join("hole")).expect("it is ours");
        hole.set_len(FILE_SCAN_BYTES * 4).expect("a hole");
        let lines = Lines {
            first: Some(2),
            count: Some(1),
        };
        let error = scene
            .folder
            .read(&scene.root.join("hole"), lines)
            .expect_err("it has no second line");
        assert!(error.to_string().contains("more than"), "{error}");
    }

    #[test]
    fn what_is_no_text_says_so() {
        let scene = scene();
        fs::write(scene.root.join("bytes"), [0xff, 0xfe]).expect("it is ours");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            scene.root.join("pipe"),
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .expect("a pipe");
        let long = File::create(scene.root.join("long")).expect("it is ours");
        long.set_len(FILE_BYTES as u64 + 1).expect("a hole");
        for (name, words) in [
            ("bytes", "no UTF-8"),
            ("pipe", "no regular file"),
            (".", "no regular file"),
            ("long", "more than"),
            ("missing", "ENOENT"),
            ("text/below", "ENOENT"),
        ] {
            let error = scene.read(name).expect_err(name);
            assert!(error.contains(words), "{name}: {error}");
        }
        for name in ["pipe", "."] {
            let error = scene.write(name, "x").expect_err(name);
            assert!(error.contains("no regular file"), "{name}: {error}");
        }
    }
}
