//! The JSON-RPC 2.0 envelope, one object a line.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::RpcError;

/// A request or, without an id, a notification, as the daemon reads it.
///
/// `id` is kept as it came: numbers, strings and `null` go back unchanged.
#[derive(Debug, Deserialize)]
pub struct IncomingRequest<'line> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'line RawValue>,
    pub method: String,
    #[serde(borrow, default)]
    pub params: Option<&'line RawValue>,
}

/// A request as a client writes it.
#[derive(Debug, Serialize)]
pub struct OutgoingRequest<'call, Params> {
    pub jsonrpc: &'static str,
    pub id: u64,
    pub method: &'call str,
    pub params: &'call Params,
}

/// A successful reply as the daemon writes it.
#[derive(Debug, Serialize)]
pub struct OutgoingResult<'call, Reply> {
    pub jsonrpc: &'static str,
    pub id: &'call RawValue,
    pub result: &'call Reply,
}

/// A failed reply as the daemon writes it. `id` is `null` when the request's own could not be read.
#[derive(Debug, Serialize)]
pub struct OutgoingError<'call> {
    pub jsonrpc: &'static str,
    pub id: Option<&'call RawValue>,
    pub error: &'call RpcError,
}

/// A reply as a client reads it.
#[derive(Debug, Deserialize)]
pub struct IncomingReply<'line> {
    #[serde(default)]
    pub id: Option<u64>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Option<&'line RawValue>,
    #[serde(default)]
    pub error: Option<RpcError>,
}

/// The `jsonrpc` member of everything we write.
pub const VERSION: &str = "2.0";

/// Reads a member that is there, even when it is `null`; `Option` alone would take `null` for absent.
fn present<'de: 'line, 'line, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'line RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
