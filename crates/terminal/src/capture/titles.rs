//! The title and the stack of titles, bounded.

/// Characters of a title that are kept.
const TITLE_CHARACTERS: usize = 1024;
/// Titles that a program may put aside (`ESC[22t`).
const STACK_DEPTH: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Titles {
    current: Option<String>,
    stack: Vec<Option<String>>,
}

impl Titles {
    pub(crate) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    pub(crate) fn stack(&self) -> &[Option<String>] {
        &self.stack
    }

    pub(crate) fn set(&mut self, title: Option<String>) {
        self.current = title.map(|mut title| {
            if let Some((end, _)) = title.char_indices().nth(TITLE_CHARACTERS) {
                title.truncate(end);
            }
            title.retain(|character| !character.is_control());
            title
        });
    }

    pub(crate) fn push(&mut self) {
        if self.stack.len() == STACK_DEPTH {
            self.stack.remove(0);
        }
        self.stack.push(self.current.clone());
    }

    /// Returns whether there was a title to take back.
    pub(crate) fn pop(&mut self) -> bool {
        match self.stack.pop() {
            Some(title) => {
                self.current = title;
                true
            }
            None => false,
        }
    }
}
