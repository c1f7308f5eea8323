//! The caller: typed calls and subscriptions over the daemon's socket, synchronous and without a runtime.
//!
//! Responsible for finding the socket, for one line out and one line in, and for precise errors.
//! Starts no daemon, prints nothing and decides no exit code.

mod client;
mod compatibility;
mod line;
pub mod location;
mod subscription;
mod transport;
mod view;

#[cfg(all(test, unix))]
mod tests;

pub use client::{CallError, Client};
pub use compatibility::{Incompatible, check_identity};
pub use line::ReadLineError;
pub use location::{Environment, Location, LocationError};
pub use subscription::{Closer, Received, StreamError, Subscription};
pub use transport::ConnectError;
pub use view::{View, ViewError};
