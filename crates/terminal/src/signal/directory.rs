//! OSC 7: the working directory, as a `file:` URI.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The directory a program says it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingDirectory {
    /// The machine's name, empty when the program gave none. Another machine's when the program runs over SSH.
    pub host: String,
    pub path: PathBuf,
}

impl WorkingDirectory {
    /// Reads what stands behind `7;`.
    pub(crate) fn parse(uri: &[u8]) -> Option<Self> {
        let rest = uri
            .strip_prefix(b"file://")
            .or_else(|| uri.strip_prefix(b"kitty-shell-cwd://"))?;
        let slash = rest.iter().position(|byte| *byte == b'/')?;
        let (host, path) = rest.split_at(slash);
        let path = percent_decoded(path);
        if path.contains(&0) {
            return None;
        }
        Some(Self {
            host: super::clean_text(host, 255),
            path: PathBuf::from(OsString::from_vec(path)),
        })
    }
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        let code = behind
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = code.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                rest = &behind[2..];
            }
            None => {
                decoded.push(*first);
                rest = behind;
            }
        }
    }
    decoded
}
