//! The table from a method's name to its handler.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use pupitre_model::gate::{self, Asker};
use pupitre_protocol::method::Access;
use pupitre_protocol::{ErrorKind, Method, RpcError};
use serde_json::value::{RawValue, to_raw_value};

use super::{Daemon, handlers};

type Outcome = Result<Box<RawValue>, RpcError>;
type Work = Pin<Box<dyn Future<Output = Outcome> + Send>>;
type Handler = Box<dyn Fn(Call, Option<&RawValue>) -> Work + Send + Sync>;

/// What every handler gets: the daemon, and who asks.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) asker: Asker,
}

impl Call {
    /// Says whether the caller may have `what`.
    pub(crate) fn check(&self, what: &str, access: Access) -> Result<(), RpcError> {
        gate::check(what, access, &self.asker, self.daemon.free_access())
    }
}

/// The handlers of all methods.
pub(crate) struct Router {
    rows: HashMap<&'static str, Handler>,
}

impl Router {
    /// Returns the router of every method but `events.*`, which change the connection itself.
    pub(crate) fn new() -> Self {
        let mut router = Self { rows: HashMap::new() };
        handlers::register(&mut router);
        router
    }

    pub(super) fn row<M: Method, Work>(&mut self, handler: fn(Arc<Daemon>, M::Params) -> Work)
    where
        Work: Future<Output = Result<M::Reply, RpcError>> + Send + 'static,
    {
        self.add::<M, Work>(move |call, params| handler(call.daemon, params));
    }

    /// Puts in a method whose answer depends on who asks.
    pub(super) fn row_of_caller<M: Method, Work>(&mut self, handler: fn(Call, M::Params) -> Work)
    where
        Work: Future<Output = Result<M::Reply, RpcError>> + Send + 'static,
    {
        self.add::<M, Work>(handler);
    }

    fn add<M: Method, Work>(
        &mut self,
        handler: impl Fn(Call, M::Params) -> Work + Copy + Send + Sync + 'static,
    ) where
        Work: Future<Output = Result<M::Reply, RpcError>> + Send + 'static,
    {
        let row: Handler = Box::new(move |call, params| {
            match call
                .check(M::NAME, M::ACCESS)
                .and_then(|()| read_params::<M>(params))
            {
                Ok(params) => Box::pin(async move {
                    let reply = handler(call, params).await?;
                    to_raw_value(&reply).map_err(|error| {
                        RpcError::new(
                            ErrorKind::Internal,
                            format!("the reply cannot be written: {error}"),
                        )
                    })
                }),
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        });
        self.rows.insert(M::NAME, row);
    }

    /// Calls a method, if the caller may.
    pub(super) fn call(&self, call: Call, method: &str, params: Option<&RawValue>) -> Work {
        match self.rows.get(method) {
            Some(handler) => handler(call, params),
            None => Box::pin(std::future::ready(Err(unknown_method(method)))),
        }
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.rows.keys().copied().collect()
    }
}

/// Reads the parameters of a method; none are an empty object.
pub(super) fn read_params<M: Method>(params: Option<&RawValue>) -> Result<M::Params, RpcError> {
    let text = params.map_or("{}", RawValue::get);
    let text = if text == "null" { "{}" } else { text };
    if !text.starts_with('{') {
        return Err(RpcError::new(
            ErrorKind::InvalidParams,
            format!("the parameters of {} must be an object", M::NAME),
        ));
    }
    serde_json::from_str(text).map_err(|error| {
        RpcError::new(
            ErrorKind::InvalidParams,
            format!("the parameters of {}: {error}", M::NAME),
        )
    })
}

fn unknown_method(method: &str) -> RpcError {
    let method: String = method.chars().take(64).collect();
    RpcError::new(
        ErrorKind::UnknownMethod,
        format!("there is no method \"{method}\"; perhaps this daemon is older than what asks"),
    )
}

#[cfg(test)]
mod tests {
    use pupitre_protocol::method;

    use super::*;

    #[test]
    fn every_method_has_a_handler() {
        let mut names = Router::new().names();
        // These change the connection itself, so that it answers them.
        names.push(method::events::Subscribe::NAME);
        names.push(method::events::Unsubscribe::NAME);
        names.push(method::surface::Snapshot::NAME);
        names.sort_unstable();
        let mut expected = method::NAMES.to_vec();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}
