//! The page's server: who is let in, who is refused, and that a WebSocket says what the socket says.

mod admission;
mod browser;
mod page;
mod rpc;
mod session;
mod upload;
mod view;

use crate::support::Desk;

/// Types into a pane, as a person does in the page.
pub(crate) fn type_as_person(desk: &Desk, target: &str, keys: &str) {
    view::type_keys(&mut browser::Browser::inside(desk).socket(), target, keys);
}
