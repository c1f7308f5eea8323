//! What is written to a program for what a person does: keystrokes by their names, and text.
//!
//! What bytes those are depends on the modes that the program set ([`InputModes`]). The mouse is not here: whoever
//! shows a screen (xterm.js, `attach`) sends its bytes itself.
//!
//! [`InputModes`]: crate::InputModes

pub(crate) mod answers;
pub(crate) mod keystroke;
mod kitty;
mod legacy;
pub(crate) mod text;
