//! What stands in the place of a configuration file: the file, nothing, or something that keeps it from being read and made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// What stands in the place of a file.
#[derive(Debug)]
pub enum Standing {
    /// A file, perhaps behind links.
    File,
    /// Nothing, and it can be made.
    Absent,
    Obstructed(Obstacle),
}

/// What keeps a file from being read, and from being made; its words say what to do.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    /// The link is the file's own, or that of a folder on the way to it.
    #[error(
        "{} is a link to {}, which does not exist; make what it leads to, or remove the link",
        link.display(),
        target.display()
    )]
    LinkToNothing { link: PathBuf, target: PathBuf },
    #[error("{} is a link that leads back to itself; remove it", link.display())]
    LinkInCircle { link: PathBuf },
    #[error(
        "{} is no folder, so that {} cannot be in it; move it away",
        place.display(),
        path.display()
    )]
    NoFolder { place: PathBuf, path: PathBuf },
    #[error("{} is no regular file; move it away", path.display())]
    NoFile { path: PathBuf },
    #[error("{} cannot be looked at: {source}", place.display())]
    System { place: PathBuf, source: io::Error },
}

/// Looks at the place of a file.
pub fn standing(path: &Path) -> Standing {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => return Standing::File,
        Ok(_) => {
            return Standing::Obstructed(Obstacle::NoFile {
                path: path.to_owned(),
            });
        }
        Err(_) => {}
    }
    let mut way: Vec<&Path> = path.ancestors().collect();
    way.reverse();
    for place in way {
        match fs::symlink_metadata(place) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Standing::Absent,
            Err(source) => return Standing::Obstructed(system(place, source)),
        }
        match fs::metadata(place) {
            Ok(metadata) if metadata.is_dir() || place == path => {}
            Ok(_) => {
                return Standing::Obstructed(Obstacle::NoFolder {
                    place: place.to_owned(),
                    path: path.to_owned(),
                });
            }
            Err(error) => return Standing::Obstructed(of_link(place, error)),
        }
    }
    // It has come between the two looks.
    Standing::File
}

/// Returns why nothing is behind a link.
fn of_link(link: &Path, error: io::Error) -> Obstacle {
    if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        return Obstacle::LinkInCircle {
            link: link.to_owned(),
        };
    }
    match (error.kind(), fs::read_link(link)) {
        (io::ErrorKind::NotFound, Ok(target)) => {
            // A target may be seen from the link's folder.
            let target = link.parent().unwrap_or(link).join(target);
            if target.is_symlink() {
                return of_link(&target, error);
            }
            Obstacle::LinkToNothing {
                link: link.to_owned(),
                target,
            }
        }
        (_, _) => system(link, error),
    }
}

fn system(place: &Path, source: io::Error) -> Obstacle {
    Obstacle::System {
        place: place.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_stands_in_the_place_of_a_file_is_told_with_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().display().to_string();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).expect("a folder");
        fs::write(at("file"), "").expect("a file");
        symlink("file", at("to-file")).expect("a link");
        symlink("nothing", at("to-nothing")).expect("a link");
        symlink(at("to-nothing"), at("to-link")).expect("a link");
        symlink("circle", at("circle")).expect("a link");
        symlink("file/x", at("through-file")).expect("a link");
        let check = |name: &str, expected: &str| {
            let words = match standing(&at(name)) {
                Standing::File => "a file".to_owned(),
                Standing::Absent => "nothing".to_owned(),
                Standing::Obstructed(obstacle) => obstacle.to_string().replace(&root, ""),
            };
            assert_eq!(words, expected, "{name}");
        };
        check("file", "a file");
        check("to-file", "a file");
        check("nothing", "nothing");
        check("no/folder/file", "nothing");
        let to_nothing = "/to-nothing is a link to /nothing, which does not exist; make what it leads to, or remove the link";
        check("to-nothing", to_nothing);
        check("to-nothing/file", to_nothing);
        check("to-link", to_nothing);
        let circle = "/circle is a link that leads back to itself; remove it";
        check("circle", circle);
        check("circle/file", circle);
        check(
            "file/x",
            "/file is no folder, so that /file/x cannot be in it; move it away",
        );
        check(
            "through-file",
            "/through-file cannot be looked at: Not a directory (os error 20)",
        );
        check("folder", "/folder is no regular file; move it away");
    }
}
