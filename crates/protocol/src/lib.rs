//! The wire: every type that crosses the socket or the WebSocket, in one place.
//!
//! Responsible for shapes, names and numbers; knows no runtime, file, clock or rule. The reference
//! page and the TypeScript types are generated from here (`generated.rs`), and a test fails when they are stale.

pub mod agent;
mod cause;
pub mod channel;
pub mod configuration;
pub mod conversation;
pub mod envelope;
pub mod error;
pub mod event;
pub mod fleet;
mod identity;
pub mod limits;
pub mod method;
pub mod surface;
pub mod system;
pub mod workspace;

#[cfg(test)]
mod generated;

pub use cause::Cause;
pub use error::{ErrorData, ErrorKind, ExitCode, RpcError};
pub use event::{Event, EventKind, Frame};
pub use identity::{
    AgentName, AgentNameError, ChannelEntryId, ConversationId, Cursor, CursorError, ElicitationId, Epoch,
    MessageId, PermissionId, SurfaceId, UploadId, WorkspaceId,
};
pub use method::Method;
pub use system::PROTOCOL;
