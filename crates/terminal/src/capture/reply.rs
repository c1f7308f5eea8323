//! What the terminal answers when a program asks it something. Real agents ask all of this when they start.

use alacritty_terminal::term::TermMode;
use vte::ansi::{Mode, NamedColor, NamedMode, NamedPrivateMode, PrivateMode, Rgb};

use super::Capture;

/// Bytes of answers that may wait to be taken; a flood of questions gets no more than this.
const WAITING_BYTES: usize = 1 << 20;

/// What answers the query of OSC 7501: the states and kinds we know, in the protocol's own order.
const STATUS_SUPPORT: &[u8] =
    b"\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";

/// Answers that wait to be written to the program.
#[derive(Debug, Default)]
pub(crate) struct Replies(Vec<u8>);

impl Replies {
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }

    fn push(&mut self, reply: &[u8]) {
        if self.0.len() + reply.len() <= WAITING_BYTES {
            self.0.extend_from_slice(reply);
        }
    }
}

impl Capture {
    /// DA1: a VT220 with colour.
    pub(super) fn reply_primary_attributes(&mut self) {
        self.replies.push(b"\x1b[?62;22c");
    }

    /// DA2: no model of its own, version 1.
    pub(super) fn reply_secondary_attributes(&mut self) {
        self.replies.push(b"\x1b[>0;1;0c");
    }

    /// DSR: 5 asks whether all is well, 6 where the cursor is (within the region in origin mode).
    pub(super) fn reply_status(&mut self, asked: usize) {
        match asked {
            5 => self.replies.push(b"\x1b[0n"),
            6 => {
                let point = self.term.grid().cursor.point;
                let origin = if self.term.mode().contains(TermMode::ORIGIN) {
                    self.top
                } else {
                    0
                };
                let row = (point.line.0 as usize).saturating_sub(origin) + 1;
                self.replies
                    .push(format!("\x1b[{row};{}R", point.column.0 + 1).as_bytes());
            }
            _ => {}
        }
    }

    /// DECRQM for ANSI modes.
    pub(super) fn reply_mode(&mut self, mode: Mode) {
        let set = match mode {
            Mode::Named(NamedMode::Insert) => Some(self.term.mode().contains(TermMode::INSERT)),
            Mode::Named(NamedMode::LineFeedNewLine) => {
                Some(self.term.mode().contains(TermMode::LINE_FEED_NEW_LINE))
            }
            Mode::Unknown(_) => None,
        };
        self.replies
            .push(format!("\x1b[{};{}$y", mode.raw(), setting(set)).as_bytes());
    }

    /// DECRQM for private modes. Mode 2026 is set only while the display is really held.
    pub(super) fn reply_private_mode(&mut self, mode: PrivateMode) {
        let set = match mode {
            PrivateMode::Named(name) => self.private_mode(name),
            PrivateMode::Unknown(_) => None,
        };
        self.replies
            .push(format!("\x1b[?{};{}$y", mode.raw(), setting(set)).as_bytes());
    }

    fn private_mode(&self, mode: NamedPrivateMode) -> Option<bool> {
        let has = |flag: TermMode| Some(self.term.mode().contains(flag));
        match mode {
            NamedPrivateMode::CursorKeys => has(TermMode::APP_CURSOR),
            NamedPrivateMode::Origin => has(TermMode::ORIGIN),
            NamedPrivateMode::LineWrap => has(TermMode::LINE_WRAP),
            NamedPrivateMode::BlinkingCursor => Some(self.term.cursor_style().blinking),
            NamedPrivateMode::ShowCursor => has(TermMode::SHOW_CURSOR),
            NamedPrivateMode::ReportMouseClicks => has(TermMode::MOUSE_REPORT_CLICK),
            NamedPrivateMode::ReportCellMouseMotion => has(TermMode::MOUSE_DRAG),
            NamedPrivateMode::ReportAllMouseMotion => has(TermMode::MOUSE_MOTION),
            NamedPrivateMode::ReportFocusInOut => has(TermMode::FOCUS_IN_OUT),
            NamedPrivateMode::Utf8Mouse => has(TermMode::UTF8_MOUSE),
            NamedPrivateMode::SgrMouse => has(TermMode::SGR_MOUSE),
            NamedPrivateMode::AlternateScroll => has(TermMode::ALTERNATE_SCROLL),
            NamedPrivateMode::UrgencyHints => has(TermMode::URGENCY_HINTS),
            NamedPrivateMode::SwapScreenAndSetRestoreCursor => has(TermMode::ALT_SCREEN),
            NamedPrivateMode::BracketedPaste => has(TermMode::BRACKETED_PASTE),
            NamedPrivateMode::SyncUpdate => Some(self.held_since.is_some()),
            NamedPrivateMode::ColumnMode => None,
        }
    }

    /// The kitty protocol's `ESC[?u`: the modes at the top of the stack.
    pub(super) fn reply_keyboard(&mut self) {
        self.replies
            .push(format!("\x1b[?{}u", self.keyboard.top().bits()).as_bytes());
    }

    /// xterm's `ESC[?4m`: the level of modifyOtherKeys.
    pub(super) fn reply_modify_other_keys(&mut self) {
        self.replies
            .push(format!("\x1b[>4;{}m", self.modify_other_keys).as_bytes());
    }

    /// `ESC[18t`: the size in cells.
    pub(super) fn reply_size(&mut self) {
        self.replies
            .push(format!("\x1b[8;{};{}t", self.size.rows(), self.size.columns()).as_bytes());
    }

    /// OSC 4, 10, 11, 12: what the program set, else what the viewer has.
    pub(super) fn reply_color(&mut self, prefix: &str, index: usize, terminator: &str) {
        const FOREGROUND: usize = NamedColor::Foreground as usize;
        const BACKGROUND: usize = NamedColor::Background as usize;
        let default = match index {
            FOREGROUND => self.palette.foreground,
            BACKGROUND => self.palette.background,
            0..256 => self.palette.indexed(index as u8),
            _ => self.palette.cursor,
        };
        let Rgb { r, g, b } = self.term.colors()[index].unwrap_or(default);
        let reply = format!("\x1b]{prefix};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{terminator}");
        self.replies.push(reply.as_bytes());
    }

    /// XTVERSION (`ESC[>q`): name and version.
    pub(crate) fn reply_version(&mut self) {
        self.replies
            .push(concat!("\x1bP>|pupitre(", env!("CARGO_PKG_VERSION"), ")\x1b\\").as_bytes());
    }

    /// `ESC[?996n`: 1 for a dark theme, 2 for a light one.
    pub(crate) fn reply_color_scheme(&mut self) {
        let scheme = if self.palette.is_dark() { 1 } else { 2 };
        self.replies.push(format!("\x1b[?997;{scheme}n").as_bytes());
    }

    /// An answer that was made elsewhere.
    pub(crate) fn reply_bytes(&mut self, reply: &[u8]) {
        self.replies.push(reply);
    }

    /// `ESC]7501;?`: that reports are understood, byte for byte as the protocol says.
    pub(crate) fn reply_status_support(&mut self) {
        self.replies.push(STATUS_SUPPORT);
    }
}

/// The number by which DECRQM tells a mode: 0 unknown, 1 set, 2 reset.
fn setting(set: Option<bool>) -> u8 {
    match set {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    }
}
