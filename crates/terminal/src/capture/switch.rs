//! Going to the alternate screen and back. Only grids that show something exist: each costs 240 KiB at 200 × 50. So the
//! alternate one is made when it comes into view, and the emulator holds placeholders for what is not there.

use alacritty_terminal::grid::Grid;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Cell;
use vte::ansi::{Handler, KeyboardModes, KeyboardModesApplyBehavior, NamedPrivateMode, PrivateMode};

use super::Capture;
use super::rows::RowTracker;

/// The mode of the alternate screen with its own cursor.
pub(super) const ALTERNATE_SCREEN: PrivateMode =
    PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor);

/// Returns the smallest grid, which stands for one that is not there.
pub(crate) fn no_grid() -> Grid<Cell> {
    Grid::new(1, 2, 0)
}

impl Capture {
    pub(super) fn enter_alternate(&mut self) {
        if self.is_alternate() {
            return;
        }
        let mut primary = std::mem::replace(self.term.grid_mut(), no_grid());
        // The emulator lets the primary screen's saved cursor be the one it leaves with.
        primary.saved_cursor = primary.cursor.clone();
        self.term.set_private_mode(ALTERNATE_SCREEN);
        let mut grid = Grid::new(self.size.rows(), self.size.columns(), 0);
        grid.cursor = primary.cursor.clone();
        grid.saved_cursor = std::mem::take(&mut self.alternate_saved);
        // The emulator clears the alternate screen with the background of the cursor it takes over.
        grid.reset_region(..);
        *self.term.grid_mut() = grid;
        self.primary = Some(primary);
        self.primary_rows = std::mem::replace(&mut self.rows, RowTracker::new(self.size));
        self.rows
            .erase(0..self.size.rows(), self.erased_used(), self.generation);
        self.after_switch();
    }

    pub(super) fn leave_alternate(&mut self) {
        if self.primary.is_some() {
            self.pass_erased(0..self.size.rows());
        }
        let Some(primary) = self.primary.take() else {
            return;
        };
        self.alternate_saved = self.term.grid().saved_cursor.clone();
        *self.term.grid_mut() = no_grid();
        self.term.unset_private_mode(ALTERNATE_SCREEN);
        *self.term.grid_mut() = primary;
        std::mem::swap(&mut self.rows, &mut self.primary_rows);
        self.after_switch();
    }

    fn after_switch(&mut self) {
        self.keyboard.switch_screen();
        self.apply_keyboard(self.keyboard.top());
        self.refresh_plain();
    }

    /// Makes `modes` the keyboard modes in force.
    pub(super) fn apply_keyboard(&mut self, modes: KeyboardModes) {
        Handler::set_keyboard_mode(&mut self.term, modes, KeyboardModesApplyBehavior::Replace);
    }

    /// Returns the keyboard modes in force, which need not be those at the top of the stack.
    pub(crate) fn keyboard_in_force(&self) -> KeyboardModes {
        let mode = self.term.mode();
        let mut modes = KeyboardModes::NO_MODE;
        for (flag, keyboard) in [
            (
                TermMode::DISAMBIGUATE_ESC_CODES,
                KeyboardModes::DISAMBIGUATE_ESC_CODES,
            ),
            (TermMode::REPORT_EVENT_TYPES, KeyboardModes::REPORT_EVENT_TYPES),
            (
                TermMode::REPORT_ALTERNATE_KEYS,
                KeyboardModes::REPORT_ALTERNATE_KEYS,
            ),
            (
                TermMode::REPORT_ALL_KEYS_AS_ESC,
                KeyboardModes::REPORT_ALL_KEYS_AS_ESC,
            ),
            (
                TermMode::REPORT_ASSOCIATED_TEXT,
                KeyboardModes::REPORT_ASSOCIATED_TEXT,
            ),
        ] {
            modes.set(keyboard, mode.contains(flag));
        }
        modes
    }

    /// Replaces the grid that the emulator holds in the background by the smallest one.
    ///
    /// There is no way to that grid but to switch twice, which overwrites cursors, clears the alternate screen and sets
    /// the keyboard modes anew: the grid in view is kept apart meanwhile, and the modes are put back.
    pub(crate) fn drop_other_grid(&mut self) {
        let view = std::mem::replace(self.term.grid_mut(), no_grid());
        let keyboard = self.keyboard_in_force();
        self.term.swap_alt();
        *self.term.grid_mut() = no_grid();
        self.term.swap_alt();
        *self.term.grid_mut() = view;
        self.apply_keyboard(keyboard);
    }
}
