//! The page of `apps/web`, as the build script made it, inside the program.
//!
//! Responsible for finding a file and for what a browser is told about it; knows no HTTP server.

use std::borrow::Cow;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "$OUT_DIR/page"]
struct Files;

/// A file of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    pub bytes: Cow<'static, [u8]>,
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    pub keeping: Keeping,
    /// The SHA-256 of the bytes.
    pub hash: [u8; 32],
}

/// How long a browser may keep a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// For ever: its name changes with its content.
    ForEver,
    /// Not at all: it names the files of this build.
    Never,
    /// As long as it likes, if it asks each time whether the file is still the same.
    IfAsked,
}

/// Returns the file at a path of the address: `/` is `index.html`.
pub fn file(path: &str) -> Option<PageFile> {
    let name = match path.strip_prefix('/')? {
        "" => INDEX,
        name => name,
    };
    let found = Files::get(name)?;
    Some(PageFile {
        bytes: found.data,
        content_type: content_type(name),
        keeping: keeping(name),
        hash: found.metadata.sha256_hash(),
    })
}

/// Returns whether the program has the page itself, and not one that says why there is none.
pub fn is_built() -> bool {
    Files::iter().any(|name| name.starts_with(HASHED_FOLDER))
}

const INDEX: &str = "index.html";
/// Where the bundler puts the files that have a hash of their content in their name.
const HASHED_FOLDER: &str = "assets/";

fn keeping(name: &str) -> Keeping {
    if name == INDEX {
        Keeping::Never
    } else if name.starts_with(HASHED_FOLDER) {
        Keeping::ForEver
    } else {
        Keeping::IfAsked
    }
}

/// Returns what a browser is told a file is; it is told not to guess, so a type that is missing here does not work.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        Some("txt") => "text/plain; charset=utf-8",
        Some(_) | None => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_index_and_is_never_kept() {
        let index = file("/").expect("there is always a page");
        assert_eq!(Some(&index), file("/index.html").as_ref());
        assert_eq!(index.content_type, "text/html; charset=utf-8");
        assert_eq!(index.keeping, Keeping::Never);
        assert!(index.bytes.starts_with(b"<!doctype html>"));
    }

    #[test]
    fn nothing_outside_the_page_is_found() {
        for path in [
            "",
            "index.html",
            "/../Cargo.toml",
            "/assets/../../../Cargo.toml",
            "/assets",
            "//etc/passwd",
            "/etc/passwd",
        ] {
            assert_eq!(file(path), None, "{path}");
        }
    }

    #[test]
    fn what_the_index_names_is_there() {
        let index = file("/").expect("there is always a page");
        let text = String::from_utf8(index.bytes.into_owned()).expect("a page is UTF-8");
        let named: Vec<&str> = text
            .split('"')
            .filter(|word| word.starts_with('/') && word.contains('.'))
            .collect();
        assert_eq!(named.is_empty(), !is_built(), "{text}");
        for path in named {
            let file = file(path).unwrap_or_else(|| panic!("{path} is missing"));
            assert_ne!(file.content_type, "application/octet-stream", "{path}");
            let is_hashed = path.starts_with("/assets/");
            assert_eq!(file.keeping == Keeping::ForEver, is_hashed, "{path}");
        }
    }
}
