//! The screen: emulator, compact history and text of a pane. Knows no daemon.
//!
//! [`Screen`] takes the bytes a program writes and gives text, search, snapshots, signals and replies. [`Keystroke`] and
//! [`text_input`] give the bytes for the other way. [`pty`] opens the descriptor that both travel on. Everything but
//! `pty` is synchronous.

mod capture;
mod harmless;
mod history;
mod input;
mod palette;
pub mod pty;
mod scanner;
mod screen;
mod signal;
mod size;

pub use harmless::harmless;
pub use history::{Attributes, Color, HistoryLimits, LineNumber, Link, Style};
pub use input::answers::without_answers;
pub use input::keystroke::{Key, KeypadKey, Keystroke, KeystrokeError, Modifiers};
pub use input::text::{TextInputError, text_input};
pub use palette::{Palette, Rgb};
pub use screen::modes::{CursorPosition, CursorShape, InputModes, MouseTracking};
pub use screen::rows::{StyledRow, StyledRun, Wrap};
pub use screen::search::{PatternError, SearchMatch, SearchPattern, SearchResult};
pub use screen::text::{AfterMark, Mark, Missing, ReadError, TextWindow, VisibleLine};
pub use screen::{Screen, ScreenOptions, ScrolledLine};
pub use signal::Signal;
pub use signal::directory::WorkingDirectory;
pub use signal::notification::{Notification, NotificationSource, Progress};
pub use signal::prompt::{PromptMark, PromptStep};
pub use signal::status::{BlockedKind, RecordId, StatusChange, StatusRecord, StatusState};
pub use size::Size;
