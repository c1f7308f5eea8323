//! `system.*`.

use std::sync::Arc;

use pupitre_model::gate::Asker;
use pupitre_protocol::event::EventKind;
use pupitre_protocol::system::{
    CallerKind, CapabilitiesReply, CountersReply, Empty, IdentifyReply, PageReply, PingReply,
};
use pupitre_protocol::{ErrorKind, PROTOCOL, RpcError, method};

use crate::clock::epoch_ms;
use crate::rpc::{Call, Daemon};

pub(super) async fn ping(_daemon: Arc<Daemon>, _params: Empty) -> Result<PingReply, RpcError> {
    Ok(PingReply { ts: epoch_ms() })
}

pub(super) async fn identify(daemon: Arc<Daemon>, _params: Empty) -> Result<IdentifyReply, RpcError> {
    let about = &daemon.about;
    let config = daemon.config.held();
    Ok(IdentifyReply {
        name: "pupitre".to_owned(),
        version: about.version.to_owned(),
        protocol: PROTOCOL,
        epoch: daemon.hub.epoch().clone(),
        pid: std::process::id(),
        started_at: about.started_at,
        config_path: config.canonical.display().to_string(),
        config_error: config.error(),
        log_path: about.log_path.display().to_string(),
        home: about.home.display().to_string(),
    })
}

pub(super) async fn capabilities(call: Call, _params: Empty) -> Result<CapabilitiesReply, RpcError> {
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
    let events: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let gate_open = call.asker.is_free(call.daemon.free_access());
    let (caller, inside) = match call.asker {
        Asker::Outside | Asker::Detached => (CallerKind::Outside, None),
        Asker::Page => (CallerKind::Page, None),
        Asker::Inside { agent } => (CallerKind::Inside, Some(agent)),
        Asker::InsidePane { .. } => (CallerKind::Inside, None),
        Asker::Unknown => (CallerKind::Unknown, None),
    };
    Ok(CapabilitiesReply {
        methods: names(method::NAMES),
        events: names(&events),
        caller,
        inside,
        gate_open,
    })
}

pub(super) async fn counters(daemon: Arc<Daemon>, _params: Empty) -> Result<CountersReply, RpcError> {
    let hub = daemon.hub.counters().await?;
    Ok(CountersReply {
        connections: daemon.connections.open() as u64,
        subscriptions: hub.subscriptions,
        events: hub.events,
        dropped: hub.dropped,
        ring_bytes: hub.ring_bytes,
        history_pending_bytes: daemon.history.pending_bytes() as u64,
        history_trouble: daemon.history.trouble(),
    })
}

pub(super) async fn page(daemon: Arc<Daemon>, _params: Empty) -> Result<PageReply, RpcError> {
    let url = daemon
        .page
        .new_url()
        .map_err(|error| RpcError::new(ErrorKind::NotSupported, error.to_string()))?;
    Ok(PageReply { url })
}

pub(super) async fn shutdown(daemon: Arc<Daemon>, _params: Empty) -> Result<Empty, RpcError> {
    let mut drained = daemon.shutdown.drained.subscribe();
    daemon.shutdown.asked.send_replace(true);
    let outcome = drained.wait_for(|drained| *drained).await;
    outcome.map_err(|_| RpcError::new(ErrorKind::Internal, "the daemon ended before its agents had"))?;
    Ok(Empty {})
}
