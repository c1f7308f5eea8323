//! Waiting until surfaces are at rest or a line matches: checked and registered in one step, answered on events.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::limits::{PATTERN_BYTES, QUIET_MS, WAIT_LINES, WAIT_TIMEOUT_MS, WAIT_TIMEOUT_MS_MOST};
use pupitre_protocol::surface::{
    Evidence, Quorum, Standing, SurfaceState, SurfaceWaitParams, SurfaceWaitReply, WaitMatch,
};
use pupitre_protocol::{ErrorKind, RpcError, SurfaceId};
use pupitre_terminal::SearchPattern;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::mark::{Mark, Place};
use super::transcript::read_transcript;
use super::{Surface, Surfaces};
use crate::history::History;
use crate::hub::{ConversationSurface, HubHandle};
use crate::pane::{Hit, Pane, Since, matching};

/// How many messages of a conversation a wait looks at.
const MESSAGES: usize = 50;
/// How long what streams in is gathered before it is tested.
const TEST_EVERY: Duration = Duration::from_millis(100);

/// What has to hold of each target.
#[derive(Clone)]
struct Condition {
    idle: bool,
    pattern: Option<SearchPattern>,
    since: SinceMark,
    quiet: Duration,
}

/// From when on lines count.
#[derive(Debug, Clone)]
enum SinceMark {
    Beginning,
    Now,
    Mark(String),
}

/// A target whose condition holds.
struct Held {
    surface: SurfaceId,
    lines: Vec<String>,
    idle: bool,
    state: SurfaceState,
    evidence: Evidence,
    mark: String,
}

/// Waits, as `surface.wait` says.
///
/// # Errors
///
/// When a parameter is wrong, a target is not found or ambiguous, closes, fails or comes to ask, or the time is over.
pub(crate) async fn wait(
    surfaces: &Surfaces,
    history: &History,
    params: SurfaceWaitParams,
) -> Result<SurfaceWaitReply, RpcError> {
    let timeout_ms = params.timeout_ms.unwrap_or(WAIT_TIMEOUT_MS);
    let (condition, quorum) = read(&params)?;
    let targets = match quorum {
        Some(_) => surfaces.resolve_several(&params.surfaces).await?,
        None => vec![surfaces.resolve(&params.surfaces[0]).await?],
    };
    let number = targets.len();
    let waits: FuturesUnordered<_> = targets
        .into_iter()
        .map(|target| wait_for(surfaces.hub(), history, target, condition.clone()))
        .collect();
    let held = timeout(
        Duration::from_millis(timeout_ms),
        gather(waits, quorum.unwrap_or(Quorum::All)),
    );
    let held = held.await.map_err(|_| {
        let message = format!("nothing of it came within {} s", timeout_ms as f64 / 1_000.0);
        RpcError::new(ErrorKind::Timeout, message)
    })??;
    Ok(reply(&condition, number, held))
}

fn read(params: &SurfaceWaitParams) -> Result<(Condition, Option<Quorum>), RpcError> {
    let invalid = |message: &str| Err(RpcError::new(ErrorKind::InvalidParams, message));
    if params.surfaces.is_empty() {
        return invalid("name at least one surface to wait for");
    }
    if params.surfaces.len() > 1 && params.quorum.is_none() {
        return invalid("several targets: say whether any of them has to match, or all");
    }
    if !params.idle && params.pattern.is_none() {
        return invalid("say what to wait for: idle, a pattern, or both");
    }
    if params.pattern.as_ref().is_some_and(String::is_empty) {
        return invalid("the pattern is empty");
    }
    if params
        .pattern
        .as_ref()
        .is_some_and(|pattern| pattern.len() > PATTERN_BYTES)
    {
        return invalid("the pattern is over 4 KiB");
    }
    if params.after.is_some() && (params.new || params.surfaces.len() > 1) {
        return invalid("a mark is of one surface, and takes the place of `new`");
    }
    if params
        .timeout_ms
        .is_some_and(|timeout| timeout > WAIT_TIMEOUT_MS_MOST)
    {
        return invalid("a wait lasts a week at most");
    }
    let pattern = params.pattern.as_deref().map(SearchPattern::regex).transpose();
    let pattern = pattern.map_err(|error| RpcError::new(ErrorKind::InvalidParams, error.to_string()))?;
    let since = match (&params.after, params.new) {
        (Some(mark), _) => SinceMark::Mark(mark.clone()),
        (None, true) => SinceMark::Now,
        (None, false) => SinceMark::Beginning,
    };
    let condition = Condition {
        idle: params.idle,
        pattern,
        since,
        quiet: Duration::from_millis(params.for_ms.unwrap_or(QUIET_MS)),
    };
    Ok((condition, params.quorum))
}

/// Waits for the first that holds, or for all of them. One that fails ends it, unless another may still hold.
async fn gather(
    mut waits: FuturesUnordered<impl Future<Output = Result<Held, RpcError>>>,
    quorum: Quorum,
) -> Result<Vec<Held>, RpcError> {
    let mut held = Vec::new();
    let mut failed = None;
    while let Some(outcome) = waits.next().await {
        match (outcome, quorum) {
            (Ok(one), Quorum::Any) => return Ok(vec![one]),
            (Ok(one), Quorum::All) => held.push(one),
            (Err(error), Quorum::All) => return Err(error),
            (Err(error), Quorum::Any) => failed = Some(error),
        }
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(held),
    }
}

fn reply(condition: &Condition, targets: usize, mut held: Vec<Held>) -> SurfaceWaitReply {
    held.sort_by_key(|one| one.surface);
    let evidence = held
        .iter()
        .map(|one| one.evidence)
        .max_by_key(|evidence| match evidence {
            // What is known least counts for all.
            Evidence::Quiet => 1,
            Evidence::Hook | Evidence::Status | Evidence::Acp | Evidence::Screen | Evidence::Process => 0,
        });
    let only = match held.as_slice() {
        [one] if targets == 1 => Some((one.state, one.mark.clone())),
        _ => None,
    };
    let (state, mark) = only.unzip();
    SurfaceWaitReply {
        matched: condition.pattern.is_some(),
        idle: condition.idle && held.iter().all(|one| one.idle),
        surfaces: held.iter().map(|one| one.surface).collect(),
        state,
        evidence: evidence.unwrap_or(Evidence::Process),
        mark,
        matches: held
            .into_iter()
            .filter(|one| !one.lines.is_empty())
            .map(|one| WaitMatch {
                surface_id: one.surface,
                lines: one.lines,
            })
            .collect(),
        fence: true,
        untrusted: true,
    }
}

async fn wait_for(
    hub: &HubHandle,
    history: &History,
    target: Surface,
    condition: Condition,
) -> Result<Held, RpcError> {
    match target {
        Surface::Pane(pane) => wait_for_pane(hub, pane, condition).await,
        Surface::Conversation(conversation) => {
            wait_for_conversation(hub, history, *conversation, condition).await
        }
    }
}

async fn wait_for_pane(hub: &HubHandle, pane: Pane, condition: Condition) -> Result<Held, RpcError> {
    let since = match &condition.since {
        SinceMark::Beginning => Since::Beginning,
        SinceMark::Now => Since::Now,
        SinceMark::Mark(text) => {
            let mark = pane.inspect(|state| Mark::parse_of_pane(text, hub.epoch(), pane.id(), state))?;
            Since::Generation(mark.generation)
        }
    };
    // After a mark only what came after it can have come to rest: some line has to be written first.
    let any_line = match (&condition.pattern, since) {
        (None, Since::Generation(_)) => SearchPattern::regex("^").ok(),
        (None | Some(_), Since::Beginning | Since::Now) | (Some(_), Since::Generation(_)) => None,
    };
    let reports = any_line.is_none();
    let pattern = condition.pattern.or(any_line);
    let mut has_to_match = pattern.is_some();
    let mut has_ended = false;
    let mut lines = Vec::new();
    let (hits, mut heard) = mpsc::unbounded_channel();
    let _waiter = pane.wait(pattern, since, hits)?;
    loop {
        let quiet_at = Instant::from(pane.quiet_since()) + condition.quiet;
        let is_quiet = !condition.idle || has_ended || quiet_at <= Instant::now();
        if !has_to_match && is_quiet {
            break;
        }
        tokio::select! {
            biased;
            hit = heard.recv() => match hit {
                Some(Hit::Lines(found)) => {
                    if reports {
                        lines = pane.inspect(|state| found.iter().map(|line| state.telling(line)).collect());
                    }
                    has_to_match = false;
                }
                // Nothing will be written any more, so it is at rest.
                Some(Hit::Ended) if !reports => {
                    has_ended = true;
                    has_to_match = false;
                }
                Some(Hit::Ended) if has_to_match => return Err(ended(&pane)),
                Some(Hit::Ended) => has_ended = true,
                Some(Hit::Closed) | None => return Err(closed(&pane)),
            },
            () = sleep_until(quiet_at), if !has_to_match => {}
        }
    }
    let (standing, mark) = pane.inspect(|state| (state.standing().clone(), Mark::of_pane(pane.id(), state)));
    Ok(Held {
        surface: pane.id(),
        lines,
        idle: condition.idle,
        state: standing.state,
        evidence: if condition.idle {
            Evidence::Quiet
        } else {
            standing.evidence
        },
        mark: mark.to_text(hub.epoch()),
    })
}

fn ended(pane: &Pane) -> RpcError {
    let label = pane.inspect(|state| state.label());
    let message = format!("the program of pane {label} has ended, and no line of it matches");
    RpcError::new(ErrorKind::ProgramEnded, message)
}

fn closed(pane: &Pane) -> RpcError {
    let label = pane.inspect(|state| state.label());
    RpcError::new(ErrorKind::SurfaceClosed, format!("pane {label} was closed"))
}

async fn wait_for_conversation(
    hub: &HubHandle,
    history: &History,
    target: ConversationSurface,
    condition: Condition,
) -> Result<Held, RpcError> {
    let id = target.view.surface_id;
    // From here on nothing is missed; what is there already is looked at next.
    let subscription = hub
        .subscribe(SubscribeParams {
            types: Some(vec![
                EventKind::StateChanged,
                EventKind::MessageUpdated,
                EventKind::MessageDelta,
                EventKind::SurfaceClosed,
            ]),
            surfaces: Some(vec![id]),
            ..SubscribeParams::default()
        })
        .await?;
    let mut follower = Follower {
        hub,
        history,
        id,
        condition: &condition,
        from: None,
        from_state: None,
        lines: Vec::new(),
    };
    follower.begin(&target).await?;
    loop {
        if let Some(held) = follower.look().await? {
            return Ok(held);
        }
        if subscription.next().await.is_none() {
            return Err(RpcError::new(
                ErrorKind::ShuttingDown,
                "the daemon is shutting down",
            ));
        }
        // A stream of text is tested piece by piece, not word by word.
        let gathered = Instant::now() + TEST_EVERY;
        while let Ok(Some(_)) = tokio::time::timeout_at(gathered, subscription.next()).await {}
    }
}

/// A wait on a conversation.
struct Follower<'a> {
    hub: &'a HubHandle,
    history: &'a History,
    id: SurfaceId,
    condition: &'a Condition,
    /// Lines count from here on: nothing does before, where this is set.
    from: Option<Option<Place>>,
    /// The end of a turn counts when the state is newer than this.
    from_state: Option<u64>,
    lines: Vec<String>,
}

impl Follower<'_> {
    async fn begin(&mut self, target: &ConversationSurface) -> Result<(), RpcError> {
        match &self.condition.since {
            SinceMark::Beginning => {}
            SinceMark::Now => {
                self.from = Some(read_transcript(&target.handle, self.history, 1).await?.place());
            }
            SinceMark::Mark(text) => {
                let mark = Mark::parse(text, self.hub.epoch(), self.id)?;
                self.from = Some(mark.place);
                self.from_state = Some(mark.state_seq);
            }
        }
        Ok(())
    }

    /// Looks whether the condition holds now.
    async fn look(&mut self) -> Result<Option<Held>, RpcError> {
        let conversation = self.hub.conversations().await?;
        let conversation = conversation
            .into_iter()
            .find(|one| one.view.surface_id == self.id);
        let Some(conversation) = conversation else {
            let message = format!("the agent of surface {} left the configuration", self.id);
            return Err(RpcError::new(ErrorKind::SurfaceClosed, message));
        };
        if let Some(pattern) = &self.condition.pattern
            && self.lines.is_empty()
        {
            let transcript = read_transcript(&conversation.handle, self.history, MESSAGES).await?;
            let text = match self.from {
                None => transcript.text.as_str(),
                Some(place) => transcript.after(place).0,
            };
            let all = text.lines().count();
            self.lines = matching(text.lines().skip(all.saturating_sub(WAIT_LINES)), pattern);
        }
        let standing = &conversation.view.standing;
        let is_idle = self.condition.idle && self.is_at_rest(&conversation.view.surface_name, standing)?;
        let matched = self.condition.pattern.is_none() || !self.lines.is_empty();
        if !matched || (self.condition.idle && !is_idle) {
            return Ok(None);
        }
        let transcript = read_transcript(&conversation.handle, self.history, 1).await?;
        let mark = Mark {
            surface: self.id,
            generation: conversation.view.output_generation,
            state_seq: standing.state_seq,
            place: transcript.place(),
            line: None,
        };
        Ok(Some(Held {
            surface: self.id,
            lines: std::mem::take(&mut self.lines),
            idle: is_idle,
            state: standing.state,
            evidence: standing.evidence,
            mark: mark.to_text(self.hub.epoch()),
        }))
    }

    fn is_at_rest(&self, name: &str, standing: &Standing) -> Result<bool, RpcError> {
        if self.from_state.is_some_and(|before| standing.state_seq <= before) {
            return Ok(false);
        }
        match standing.state {
            SurfaceState::Idle | SurfaceState::Finished => Ok(true),
            SurfaceState::Thinking | SurfaceState::Stalled | SurfaceState::UnknownRunning => Ok(false),
            SurfaceState::WaitingForInput => {
                let what = standing.message.as_deref().unwrap_or("something");
                Err(RpcError::new(ErrorKind::Asks, format!("{name} asks: {what}")))
            }
            SurfaceState::Errored => {
                let why = standing.reason.as_deref().unwrap_or("it does not say why");
                Err(RpcError::new(
                    ErrorKind::TargetErrored,
                    format!("{name} failed: {why}"),
                ))
            }
        }
    }
}
