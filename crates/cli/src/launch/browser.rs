//! Opens an address in a browser of the person's: a window of its own where a Chromium is there, else whatever is
//! their browser.
//!
//! For a moment the address can be read in the list of processes, which is why it is good only once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What became of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    /// A window without tabs and address.
    Window,
    Browser,
    /// There is no display, or no program to open it with.
    Nothing,
}

/// Programs that open a page in a window of its own with `--app=`, the ones that are nothing else first.
const CHROMIUMS: [&str; 9] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "brave",
    "vivaldi",
];

/// Programs that open an address with the person's browser.
const OPENERS: [&str; 2] = if cfg!(target_os = "macos") {
    ["open", "open"]
} else {
    ["xdg-open", "gio"]
};

/// Opens an address, and waits for nothing.
pub(crate) fn open(url: &str) -> Opened {
    open_with(url, &|name| std::env::var_os(name), &spawn)
}

/// Returns whether the program could be started.
type Spawn<'caller> = &'caller dyn Fn(&Path, &[String]) -> bool;

fn open_with(url: &str, variable: &dyn Fn(&str) -> Option<OsString>, spawn: Spawn<'_>) -> Opened {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let has_display = cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    if !has_display {
        return Opened::Nothing;
    }
    let path = variable("PATH").unwrap_or_default();
    let found = |name: &str| find(name, &path);
    for program in CHROMIUMS.iter().filter_map(|name| found(name)) {
        if spawn(&program, &[format!("--app={url}")]) {
            return Opened::Window;
        }
    }
    for name in OPENERS {
        let arguments: &[&str] = if name == "gio" { &["open", url] } else { &[url] };
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        if found(name).is_some_and(|program| spawn(&program, &arguments)) {
            return Opened::Browser;
        }
    }
    Opened::Nothing
}

fn find(name: &str, path: &OsString) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Starts a program in a group of its own, so that Ctrl-C in the terminal does not end it.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line's one place that starts a browser"
)]
fn spawn(program: &Path, arguments: &[String]) -> bool {
    use std::os::unix::process::CommandExt as _;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .is_ok()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const URL: &str = "http://127.0.0.1:4100/#token=secret";

    /// Opens with these programs in `PATH`, of which those that begin with `broken-` do not start.
    fn check(programs: &[&str], display: Option<&str>, expected: Opened, command: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        for name in programs {
            let path = folder.path().join(name.trim_start_matches("broken-"));
            std::fs::write(&path, "").expect("a file");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
        }
        let variable = |name: &str| match name {
            "PATH" => Some(folder.path().as_os_str().to_owned()),
            "DISPLAY" => display.map(OsString::from),
            _ => None,
        };
        let started = RefCell::new(String::new());
        let spawn = |program: &Path, arguments: &[String]| {
            let name = program
                .file_name()
                .expect("a program")
                .to_string_lossy()
                .into_owned();
            if programs.contains(&format!("broken-{name}").as_str()) {
                return false;
            }
            *started.borrow_mut() = format!("{name} {}", arguments.join(" "));
            true
        };
        assert_eq!(open_with(URL, &variable, &spawn), expected, "{programs:?}");
        assert_eq!(started.into_inner(), command, "{programs:?}");
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn a_window_of_its_own_comes_first_then_the_browser() {
        let in_window = format!("--app={URL}");
        let display = Some(":0");
        check(
            &["xdg-open", "google-chrome"],
            display,
            Opened::Window,
            &format!("google-chrome {in_window}"),
        );
        check(
            &["brave", "chromium"],
            display,
            Opened::Window,
            &format!("chromium {in_window}"),
        );
        check(
            &["broken-chromium", "xdg-open"],
            display,
            Opened::Browser,
            &format!("xdg-open {URL}"),
        );
        check(&["gio"], display, Opened::Browser, &format!("gio open {URL}"));
        check(&[], display, Opened::Nothing, "");
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn without_a_display_nothing_is_started() {
        for display in [None, Some("")] {
            check(&["chromium", "xdg-open"], display, Opened::Nothing, "");
        }
    }
}
