//! The person's editor: the one place of the command line that starts it.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

use crate::failure::Failure;

/// What is started when no variable names an editor.
const USUAL: &str = "vi";

/// Opens a file in the editor that `VISUAL` or `EDITOR` names, and returns when it has ended.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line's one place that starts an editor"
)]
pub(super) fn edit(file: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|editor| !editor.trim().is_empty());
    let editor = named.unwrap_or_else(|| USUAL.to_owned());
    // A handler that only takes note: what the terminal sends is for the editor, which has the usual one.
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false))).map_err(Failure::Signals)?;
    // The variable may hold arguments and quotes, and is read by a shell everywhere else, too.
    let status = Command::new("/bin/sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(file)
        .status()
        .map_err(|error| Failure::Input(format!("cannot start the editor {editor}: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::Input(format!("the editor {editor} ended with {status}")))
    }
}
