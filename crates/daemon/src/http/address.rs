//! Where the page's server listens: on loopback, over both versions of IP, on one port.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpListener;

/// How often another free port is tried when one is free over IPv4 alone.
const TRIES: usize = 16;

/// Why there is no port to listen on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PortError {
    #[error("the page cannot be served: port {port} of this machine is used by another program")]
    Taken { port: u16 },
    #[error("the page cannot be served on port {port}: {source}")]
    System { port: u16, source: io::Error },
    #[error("the page cannot be served: no port is free")]
    NoneFree,
}

/// Listens on `port`, or for 0 on `last`, else on any port.
pub(super) async fn listen(port: u16, last: Option<u16>) -> Result<(u16, Vec<TcpListener>), PortError> {
    if port != 0 {
        return on(port).await;
    }
    if let Some(last) = last
        && let Ok(listening) = on(last).await
    {
        return Ok(listening);
    }
    for _ in 0..TRIES {
        match on(0).await {
            Err(PortError::Taken { .. }) => {}
            outcome => return outcome,
        }
    }
    Err(PortError::NoneFree)
}

async fn on(port: u16) -> Result<(u16, Vec<TcpListener>), PortError> {
    let wrong = |port, source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => PortError::Taken { port },
        _ => PortError::System { port, source },
    };
    let system = |source| wrong(port, source);
    let first = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await
        .map_err(system)?;
    let port = first.local_addr().map_err(system)?.port();
    match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
        Ok(second) => Ok((port, vec![first, second])),
        // `localhost` may lead there, to somebody else.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(wrong(port, error)),
        Err(error) => {
            tracing::debug!(%error, "this machine has no IPv6 loopback");
            Ok((port, vec![first]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_port_of_the_last_time_is_taken_again_when_it_is_free() {
        let (port, listeners) = listen(0, None).await.expect("some port is free");
        for listener in &listeners {
            let address = listener.local_addr().expect("it listens");
            assert!(address.ip().is_loopback() && address.port() == port, "{address}");
        }
        let (other, _listeners) = listen(0, Some(port)).await.expect("another port is free");
        assert_ne!(other, port);
        drop(listeners);
        let (again, _listeners) = listen(0, Some(port)).await.expect("it is free again");
        assert_eq!(again, port);
    }

    #[tokio::test]
    async fn a_port_that_was_asked_for_is_the_only_one() {
        let (port, _listeners) = listen(0, None).await.expect("some port is free");
        let error = listen(port, None).await.expect_err("it is taken");
        assert!(error.to_string().contains(&format!("port {port} ")), "{error}");
    }
}
