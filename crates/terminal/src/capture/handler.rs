//! Every operation of the parser: copy what would be lost, mirror what the emulator keeps private, then pass it on.

use unicode_width::UnicodeWidthChar;
use vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys, NamedPrivateMode, PrivateMode, Rgb,
    StandardCharset, TabulationClearMode,
};

use super::Capture;
use super::switch::ALTERNATE_SCREEN;
use crate::signal::Signal;

const SYNCHRONIZED_UPDATE: PrivateMode = PrivateMode::Named(NamedPrivateMode::SyncUpdate);
const COLUMN_MODE: PrivateMode = PrivateMode::Named(NamedPrivateMode::ColumnMode);

/// Operations that neither lose a row nor touch what is mirrored.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(#[inline]
        fn $name(&mut self, $($argument: $kind),*) {
            Handler::$name(&mut self.term, $($argument),*);
        })*
    };
}

impl Handler for Capture {
    pass_on! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, column: usize);
        goto_line(line: i32);
        goto_col(column: usize);
        move_up(rows: usize);
        move_down(rows: usize);
        move_forward(columns: usize);
        move_backward(columns: usize);
        move_down_and_cr(rows: usize);
        move_up_and_cr(rows: usize);
        backspace();
        carriage_return();
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_color(index: usize, color: Rgb);
        reset_color(index: usize);
    }

    #[inline]
    fn input(&mut self, character: char) {
        self.last_input = Some(character);
        if self.muted {
            return;
        }
        let cursor = &self.term.grid().cursor;
        let cursor_column = cursor.point.column.0;
        if cursor.input_needs_wrap || cursor_column + 1 >= self.size.columns() {
            if is_mark(character) && self.is_marked_enough() {
                return;
            }
            self.print_at_edge(character);
        } else if !is_mark(character) {
            if self.is_at_top_left() {
                let width = UnicodeWidthChar::width(character).unwrap_or(0);
                self.before_write_at_top_left(cursor_column, width);
            }
            self.term.input(character);
        } else if !self.is_marked_enough() {
            self.term.input(character);
        }
        let point = self.term.grid().cursor.point;
        self.rows
            .touch(point.line.0 as usize, point.column.0 + 1, self.generation);
    }

    #[inline]
    fn linefeed(&mut self) {
        if self.is_at_bottom() {
            self.before_scroll_up(self.top, 1);
        }
        self.term.linefeed();
    }

    #[inline]
    fn put_tab(&mut self, count: u16) {
        if self.term.grid().cursor.input_needs_wrap {
            self.before_wrap();
        }
        self.term.put_tab(count);
    }

    fn scroll_up(&mut self, rows: usize) {
        self.before_scroll_up(self.top, rows.min(self.bottom - self.top));
        self.term.scroll_up(rows);
    }

    fn scroll_down(&mut self, rows: usize) {
        self.before_scroll_down(self.top, rows);
        self.term.scroll_down(rows);
    }

    fn reverse_index(&mut self) {
        if self.cursor_row() == self.top && self.top < self.bottom {
            self.before_scroll_down(self.top, 1);
        }
        self.term.reverse_index();
    }

    fn insert_blank_lines(&mut self, rows: usize) {
        let row = self.cursor_row();
        if (self.top..self.bottom).contains(&row) {
            self.before_scroll_down(row, rows);
        }
        self.term.insert_blank_lines(rows);
    }

    /// Deleting at the very top moves the rows to the history, as the emulator does (xterm would not).
    fn delete_lines(&mut self, rows: usize) {
        let row = self.cursor_row();
        if (self.top..self.bottom).contains(&row) {
            // The emulator limits the count by the height of the region, not by what is left of it below the cursor.
            let count = rows.min(self.size.rows() - row).min(self.bottom - self.top);
            let count = count.min(self.bottom - row);
            if row == self.top {
                self.before_scroll_up(row, count);
            } else {
                self.pass_erased(row..row + count);
                self.rows
                    .scroll_up(row..self.bottom, count, self.erased_used(), self.generation);
            }
        }
        self.term.delete_lines(rows);
    }

    fn insert_blank(&mut self, count: usize) {
        self.rows
            .touch(self.cursor_row(), self.size.columns(), self.generation);
        self.term.insert_blank(count);
    }

    fn delete_chars(&mut self, count: usize) {
        self.rows
            .touch(self.cursor_row(), self.size.columns(), self.generation);
        self.term.delete_chars(count);
    }

    fn erase_chars(&mut self, count: usize) {
        self.rows
            .touch(self.cursor_row(), self.erased_used(), self.generation);
        self.term.erase_chars(count);
    }

    #[inline]
    fn clear_line(&mut self, mode: LineClearMode) {
        let (row, column) = (self.cursor_row(), self.term.grid().cursor.point.column.0);
        // Programs that colour their output clear to the end of the row before each piece of it, where nothing is yet.
        let is_blank_there = |written: usize| match mode {
            LineClearMode::Right => written <= column,
            LineClearMode::Left | LineClearMode::All => written == 0,
        };
        if self.passing.is_some() && !is_blank_there(self.rows.used(row)) {
            self.pass_erased(row..row + 1);
        }
        self.rows.touch(row, self.erased_used(), self.generation);
        if !is_blank_there(self.rows.used(row)) {
            self.term.clear_line(mode);
        }
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        let (row, rows, used) = (self.cursor_row(), self.size.rows(), self.erased_used());
        match mode {
            ClearMode::All => {
                if !self.is_alternate() {
                    self.copy_top_rows(self.rows_to_clear());
                } else {
                    self.pass_erased(0..rows);
                }
                self.rows.erase(0..rows, used, self.generation);
            }
            ClearMode::Above => {
                self.pass_erased(0..row + 1);
                (0..=row).for_each(|row| self.rows.touch(row, used, self.generation));
            }
            ClearMode::Below => {
                self.pass_erased(row..rows);
                (row..rows).for_each(|row| self.rows.touch(row, used, self.generation));
            }
            ClearMode::Saved => {
                if !self.is_alternate() {
                    self.history.clear();
                }
            }
        }
        self.term.clear_screen(mode);
    }

    fn decaln(&mut self) {
        self.rows.touch_all(self.generation);
        self.term.decaln();
    }

    fn reset_state(&mut self) {
        self.leave_alternate();
        self.pass_erased(0..self.size.rows());
        self.term.reset_state();
        self.history.clear();
        (self.top, self.bottom) = (0, self.size.rows());
        self.active_charset = CharsetIndex::default();
        self.tabs = super::TabStops::new(self.size.columns());
        self.keyboard.reset();
        self.alternate_saved = super::Cursor::default();
        self.held_since = None;
        self.modify_other_keys = 0;
        if self.titles.current().is_some() {
            self.signals.push(Signal::Title(String::new()));
        }
        self.titles = super::Titles::default();
        self.rows.erase(0..self.size.rows(), 0, self.generation);
        self.refresh_plain();
    }

    fn restore_cursor_position(&mut self) {
        self.term.restore_cursor_position();
        self.refresh_plain();
    }

    fn terminal_attribute(&mut self, attribute: Attr) {
        let may_hang = matches!(attribute, Attr::UnderlineColor(_) | Attr::Reset);
        self.term.terminal_attribute(attribute);
        if may_hang {
            self.refresh_plain();
        }
    }

    fn set_hyperlink(&mut self, link: Option<Hyperlink>) {
        self.term.set_hyperlink(link);
        self.refresh_plain();
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.term.set_active_charset(index);
        self.active_charset = index;
        self.refresh_plain();
    }

    fn configure_charset(&mut self, index: CharsetIndex, charset: StandardCharset) {
        self.term.configure_charset(index, charset);
        self.refresh_plain();
    }

    fn set_mode(&mut self, mode: Mode) {
        self.term.set_mode(mode);
        self.refresh_plain();
    }

    fn unset_mode(&mut self, mode: Mode) {
        self.term.unset_mode(mode);
        self.refresh_plain();
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        if mode == SYNCHRONIZED_UPDATE {
            self.held_since = self.now;
        } else if mode == ALTERNATE_SCREEN {
            self.enter_alternate();
        } else {
            self.term.set_private_mode(mode);
            if mode == COLUMN_MODE {
                self.after_column_mode();
            }
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        if mode == SYNCHRONIZED_UPDATE {
            self.held_since = None;
        } else if mode == ALTERNATE_SCREEN {
            self.leave_alternate();
        } else {
            self.term.unset_private_mode(mode);
            if mode == COLUMN_MODE {
                self.after_column_mode();
            }
        }
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        self.mirror_region(top, bottom);
        self.term.set_scrolling_region(top, bottom);
    }

    fn set_horizontal_tabstop(&mut self) {
        self.tabs.set(self.term.grid().cursor.point.column.0);
        self.term.set_horizontal_tabstop();
    }

    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        match mode {
            TabulationClearMode::Current => self.tabs.clear(self.term.grid().cursor.point.column.0),
            TabulationClearMode::All => self.tabs.clear_all(),
        }
        self.term.clear_tabs(mode);
    }

    fn push_keyboard_mode(&mut self, modes: KeyboardModes) {
        self.keyboard.push(modes);
        self.apply_keyboard(modes);
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        self.keyboard.pop(usize::from(count));
        self.apply_keyboard(self.keyboard.top());
    }

    fn set_keyboard_mode(&mut self, modes: KeyboardModes, behavior: KeyboardModesApplyBehavior) {
        Handler::set_keyboard_mode(&mut self.term, modes, behavior);
    }

    fn set_modify_other_keys(&mut self, mode: ModifyOtherKeys) {
        self.modify_other_keys = match mode {
            ModifyOtherKeys::Reset => 0,
            ModifyOtherKeys::EnableExceptWellDefined => 1,
            ModifyOtherKeys::EnableAll => 2,
        };
    }

    fn set_title(&mut self, title: Option<String>) {
        self.titles.set(title);
        self.tell_title();
    }

    fn push_title(&mut self) {
        self.titles.push();
    }

    fn pop_title(&mut self) {
        if self.titles.pop() {
            self.tell_title();
        }
    }

    fn bell(&mut self) {
        self.signals.push(Signal::Bell);
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        match intermediate {
            None => self.reply_primary_attributes(),
            Some('>') => self.reply_secondary_attributes(),
            Some(_) => {}
        }
    }

    fn device_status(&mut self, asked: usize) {
        self.reply_status(asked);
    }

    fn report_mode(&mut self, mode: Mode) {
        self.reply_mode(mode);
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        self.reply_private_mode(mode);
    }

    fn report_keyboard_mode(&mut self) {
        self.reply_keyboard();
    }

    fn report_modify_other_keys(&mut self) {
        self.reply_modify_other_keys();
    }

    fn text_area_size_chars(&mut self) {
        self.reply_size();
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        self.reply_color(&prefix, index, terminator);
    }
}

impl Capture {
    /// Does what must be done before rows from `from` on scroll down by `count` within the region.
    fn before_scroll_down(&mut self, from: usize, count: usize) {
        let leaving = count.min(self.bottom - from);
        self.pass_erased(self.bottom - leaving..self.bottom);
        self.rows
            .scroll_down(from..self.bottom, count, self.erased_used(), self.generation);
    }

    /// DECCOLM changes no width here, but clears the screen and the region as the emulator does.
    fn after_column_mode(&mut self) {
        self.mirror_region(1, None);
        self.rows
            .erase(0..self.size.rows(), self.erased_used(), self.generation);
    }

    /// Notes the region as the emulator will have it: it ignores one of no rows, also the full one of a single row.
    fn mirror_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = self.size.rows();
        let end = bottom.unwrap_or(rows);
        if top < end {
            (self.top, self.bottom) = ((top - 1).min(rows), end.min(rows));
        }
    }

    fn tell_title(&mut self) {
        let title = self.titles.current().unwrap_or_default().to_owned();
        self.signals.push(Signal::Title(title));
    }
}

/// Returns whether a character stands on the one before it. The ranges named here, which most text is made of, hold no
/// marks, so their widths need not be looked up.
#[inline]
fn is_mark(character: char) -> bool {
    match character {
        '\0'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{2500}'..='\u{27ff}' | '\u{3400}'..='\u{9fff}' => false,
        _ => UnicodeWidthChar::width(character) == Some(0),
    }
}
