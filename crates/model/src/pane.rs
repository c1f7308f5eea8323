//! Panes and what surfaces have in common with them: names, selectors, the fence around what terminals say.

pub mod fence;
pub mod name;
pub mod select;
