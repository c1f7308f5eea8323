//! The stacks of keyboard modes of the kitty protocol, one for each screen.
//!
//! The emulator's own stacks are left empty: when full, it removes the oldest entry from the wrong stack and panics,
//! so that any program could end the daemon with 4,097 `ESC[>1u`.

use vte::ansi::KeyboardModes;

/// Modes that a program may put aside; the oldest goes when there are more.
const STACK_DEPTH: usize = 64;

#[derive(Clone, Debug, Default)]
pub(crate) struct Keyboard {
    /// The stack of the screen in view.
    active: Vec<KeyboardModes>,
    /// The stack of the other screen.
    other: Vec<KeyboardModes>,
}

impl Keyboard {
    /// Returns the modes that the top of the stack asks for.
    pub(crate) fn top(&self) -> KeyboardModes {
        self.active.last().copied().unwrap_or(KeyboardModes::NO_MODE)
    }

    pub(crate) fn push(&mut self, modes: KeyboardModes) {
        if self.active.len() == STACK_DEPTH {
            self.active.remove(0);
        }
        self.active.push(modes);
    }

    pub(crate) fn pop(&mut self, count: usize) {
        self.active.truncate(self.active.len().saturating_sub(count));
    }

    pub(crate) fn switch_screen(&mut self) {
        std::mem::swap(&mut self.active, &mut self.other);
    }

    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns the stack of the screen in view, oldest first.
    pub(crate) fn active(&self) -> &[KeyboardModes] {
        &self.active
    }

    /// Returns the stack of the other screen, oldest first.
    pub(crate) fn other(&self) -> &[KeyboardModes] {
        &self.other
    }
}
