//! The page's server: who is let in, who is refused, and that a WebSocket says what the socket says.

mod admission;
mod browser;
mod page;
mod rpc;
mod session;
mod upload;
mod view;
