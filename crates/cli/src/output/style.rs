//! The few styles that are used, by what they say.

use anstyle::{AnsiColor, Style};

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BUSY: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
