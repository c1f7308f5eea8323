//! The table from a method's name to its handler.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use pupitre_protocol::{ErrorKind, Method, RpcError};
use serde_json::value::{RawValue, to_raw_value};

use super::{Daemon, handlers};

type Outcome = Result<Box<RawValue>, RpcError>;
type Handler = Box<
    dyn Fn(Arc<Daemon>, Option<&RawValue>) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync,
>;

/// The handlers of all methods.
pub(crate) struct Router {
    rows: HashMap<&'static str, Handler>,
}

impl Router {
    /// Returns the router of every method but `events.subscribe`, which changes the connection itself.
    pub(crate) fn new() -> Self {
        let mut router = Self { rows: HashMap::new() };
        handlers::register(&mut router);
        router
    }

    pub(super) fn row<M: Method, Work>(&mut self, handler: fn(Arc<Daemon>, M::Params) -> Work)
    where
        Work: Future<Output = Result<M::Reply, RpcError>> + Send + 'static,
    {
        let call: Handler = Box::new(move |daemon, params| match read_params::<M>(params) {
            Ok(params) => Box::pin(async move {
                let reply = handler(daemon, params).await?;
                to_raw_value(&reply).map_err(|error| {
                    RpcError::new(
                        ErrorKind::Internal,
                        format!("the reply cannot be written: {error}"),
                    )
                })
            }),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        });
        self.rows.insert(M::NAME, call);
    }

    /// Calls a method.
    pub(super) fn call(
        &self,
        daemon: Arc<Daemon>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        match self.rows.get(method) {
            Some(handler) => handler(daemon, params),
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
        names.push(method::events::Subscribe::NAME);
        names.sort_unstable();
        let mut expected = method::NAMES.to_vec();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}
