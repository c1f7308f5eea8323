//! What a program asked of its terminal that matters to whoever types into it or draws it.

use alacritty_terminal::term::TermMode;
use vte::ansi::CursorShape as EmulatorShape;

use super::Screen;

/// The modes that decide what keys, pastes and clicks are sent as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputModes {
    /// Pastes go between `ESC[200~` and `ESC[201~` (mode 2004).
    pub bracketed_paste: bool,
    /// Arrow keys are sent as `ESC O …` (mode 1).
    pub application_cursor: bool,
    pub application_keypad: bool,
    /// Getting and losing the focus is reported (mode 1004).
    pub focus_events: bool,
    pub mouse: MouseTracking,
    /// Mouse reports are `ESC[<…` (mode 1006).
    pub mouse_sgr: bool,
    /// The flags of the kitty keyboard protocol in force; 0 is the classic keyboard.
    pub keyboard_flags: u8,
    /// The level of xterm's modifyOtherKeys.
    pub modify_other_keys: u8,
    /// A full-screen program is at work.
    pub alternate_screen: bool,
}

/// What of the mouse is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseTracking {
    Off,
    Clicks,
    Drags,
    Motion,
}

/// Where the cursor is, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorPosition {
    pub row: usize,
    pub column: usize,
    /// The last column is written and the next character goes to the next row.
    pub wraps_next: bool,
    pub visible: bool,
    pub shape: CursorShape,
    pub blinking: bool,
}

/// The shape of the cursor (DECSCUSR).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorShape {
    Block,
    Underline,
    Bar,
}

impl Screen {
    /// Returns the modes that decide what input is sent as.
    pub fn input_modes(&self) -> InputModes {
        let mode = *self.capture.term.mode();
        let mouse = if mode.contains(TermMode::MOUSE_MOTION) {
            MouseTracking::Motion
        } else if mode.contains(TermMode::MOUSE_DRAG) {
            MouseTracking::Drags
        } else if mode.contains(TermMode::MOUSE_REPORT_CLICK) {
            MouseTracking::Clicks
        } else {
            MouseTracking::Off
        };
        InputModes {
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            application_cursor: mode.contains(TermMode::APP_CURSOR),
            application_keypad: mode.contains(TermMode::APP_KEYPAD),
            focus_events: mode.contains(TermMode::FOCUS_IN_OUT),
            mouse,
            mouse_sgr: mode.contains(TermMode::SGR_MOUSE),
            keyboard_flags: self.capture.keyboard_in_force().bits(),
            modify_other_keys: self.capture.modify_other_keys,
            alternate_screen: self.capture.is_alternate(),
        }
    }

    /// Returns where the cursor is and how it looks.
    pub fn cursor(&self) -> CursorPosition {
        let cursor = match &self.frozen {
            Some(frozen) => &frozen.view.cursor,
            None => &self.capture.term.grid().cursor,
        };
        let style = self.capture.term.cursor_style();
        CursorPosition {
            row: cursor.point.line.0 as usize,
            column: cursor.point.column.0,
            wraps_next: cursor.input_needs_wrap,
            visible: self.capture.term.mode().contains(TermMode::SHOW_CURSOR),
            shape: match style.shape {
                EmulatorShape::Underline => CursorShape::Underline,
                EmulatorShape::Beam => CursorShape::Bar,
                EmulatorShape::Block | EmulatorShape::HollowBlock | EmulatorShape::Hidden => {
                    CursorShape::Block
                }
            },
            blinking: style.blinking,
        }
    }
}
