//! The task that owns the configuration file: looks at it when it may have changed, and applies what it says, once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pupitre_model::config::{Config, ConfigChange, FILE_BYTES, Running, sentence};
use pupitre_protocol::configuration::{
    ConfigContentReply, ConfigKnownReply, ConfigRecentReply, ConfigSaveParams, ConfigSaveReply, ConfigSource,
    ConfigValidateReply, ConfigView, NotSaved,
};
use pupitre_protocol::event::ConfigChanged;
use pupitre_protocol::{Cause, ErrorKind, Event, RpcError};
use tokio::sync::{mpsc, watch as latest};
use tokio::time::Instant;

use super::file::{Found, Opened};
use super::recent::Recent;
use super::save::{hash, write_configuration};
use super::watch::{Noticing, Watch};
use super::{
    Agents, Answer, ConfigHandle, ConfigRequest, ConfigurationError, Content, Held, Look, Machine, Standing,
    check, first_problem, judge, read, standing, unreadable,
};
use crate::hub::UnitEvent;
use crate::tasks::Tasks;

/// A file is looked at when nothing happened to it for so long…
const QUIET: Duration = Duration::from_millis(60);
/// …or when so much time has passed since the first change.
const LATEST: Duration = Duration::from_millis(300);
/// An empty or missing file is most likely just being written; it counts when it is still so after this.
const HALF_WRITTEN: Duration = Duration::from_millis(500);
/// So is one that lacks agents which the last one had: what is written in two steps may be valid after the first. It counts
/// when it is still the same after this…
const AGENTS_GONE: Duration = Duration::from_secs(1);
/// …and an empty one after this; and whatever stands there counts when so much time has passed since the first doubt.
const IN_DOUBT: Duration = Duration::from_secs(3);
/// How often it is looked whether commands, folders and variables are still there, and who may write the file.
const FACTS: Duration = Duration::from_secs(10);
/// How often a file is looked at that cannot be watched.
const REGULARLY: Duration = Duration::from_millis(500);

/// A file that was read when the daemon began.
pub(crate) struct Loaded {
    pub(crate) opened: Opened,
    look: Look,
}

/// Owns the file and its watch.
pub(crate) struct ConfigTask {
    machine: Machine,
    agents: Agents,
    events: mpsc::Sender<UnitEvent>,
    tasks: Tasks,
    requests: mpsc::UnboundedReceiver<ConfigRequest>,
    held: latest::Sender<Arc<Held>>,
    /// What was last seen in the file.
    content: Content,
    watch: Watch,
    recent: Recent,
    /// When the file is to be looked at.
    due: Option<Due>,
    /// What stands in the file and may be half written.
    doubt: Option<Doubt>,
}

/// A content that may be only a part of what is being written.
#[derive(Debug)]
struct Doubt {
    content: Content,
    /// When it was first seen.
    seen: Instant,
    /// When the first content was seen that is doubted, this one or one before it.
    since: Instant,
}

/// Whether a content can be half written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Perhaps,
    /// We wrote it ourselves.
    Whole,
}

/// A look that is to come.
#[derive(Debug, Clone, Copy)]
struct Due {
    at: Instant,
    /// Not later than this, whatever happens meanwhile.
    latest: Instant,
}

impl Due {
    /// Returns when to look after a change: when it is quiet, but soon also when it never is. A look that was to come later,
    /// because what stood in the file may have been half written, comes as soon: what stands there now may be whole.
    fn after_change(now: Instant, before: Option<Self>) -> Self {
        let soon = now + LATEST;
        let latest = before.map_or(soon, |due| due.latest.min(soon));
        Self {
            at: (now + QUIET).min(latest),
            latest,
        }
    }
}

impl Loaded {
    /// Finds the file and reads it.
    pub(crate) fn load(found: Found, machine: &Machine) -> Result<Self, ConfigurationError> {
        let opened = super::file::open(found, machine)?;
        let look = judge(read(&opened.path), &opened.path, machine);
        if let Content::Unreadable(cause) = &look.content {
            return Err(ConfigurationError::System {
                path: opened.path,
                source: std::io::Error::other(sentence(cause)),
            });
        }
        Ok(Self { opened, look })
    }

    pub(crate) fn held(&self) -> Held {
        hold(&self.opened, &self.look, Config::default())
    }
}

fn hold(opened: &Opened, look: &Look, otherwise: Config) -> Held {
    let config = look.verdict.config.clone();
    Held {
        path: opened.path.clone(),
        canonical: opened.canonical.clone(),
        source: opened.source,
        created: opened.created,
        valid: config.is_some(),
        config: Arc::new(config.unwrap_or(otherwise)),
        problems: look.verdict.problems.clone(),
    }
}

/// What the task needs besides the file.
pub(crate) struct Surroundings {
    pub(crate) machine: Machine,
    pub(crate) agents: Agents,
    pub(crate) events: mpsc::Sender<UnitEvent>,
    pub(crate) tasks: Tasks,
    pub(crate) state_folder: PathBuf,
}

impl ConfigTask {
    /// Returns the task of a file that was loaded, and its handle.
    pub(crate) fn new(loaded: Loaded, surroundings: Surroundings) -> (ConfigHandle, Self) {
        let Surroundings {
            mut machine,
            agents,
            events,
            tasks,
            state_folder,
        } = surroundings;
        let (requests, requests_in) = mpsc::unbounded_channel();
        let begun = loaded.held();
        machine.running = Some(Running {
            history: begun.config.history,
            port: begun.config.port,
        });
        let (held, held_out) = latest::channel(Arc::new(begun));
        let handle = ConfigHandle {
            requests,
            held: held_out,
        };
        let task = Self {
            machine,
            agents,
            events,
            tasks,
            requests: requests_in,
            held,
            content: loaded.look.content,
            watch: Watch::new(),
            recent: Recent::in_folder(&state_folder),
            due: None,
            doubt: None,
        };
        (handle, task)
    }

    /// Runs until the daemon closes.
    pub(crate) async fn run(mut self) {
        let closing = self.tasks.closing.clone();
        // What changed since the file was loaded and before it was watched.
        self.look(Written::Perhaps).await;
        let mut facts = tokio::time::interval_at(Instant::now() + FACTS, FACTS);
        facts.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let noticing = self.watch.noticing();
            tokio::select! {
                biased;
                () = closing.cancelled() => return,
                request = self.requests.recv() => match request {
                    Some(request) => self.answer(request).await,
                    None => return,
                },
                name = self.agents.next_stop() => self.agents.let_go(&name).await,
                () = sleep_until(self.due.map(|due| due.at)) => self.look(Written::Perhaps).await,
                () = self.watch.changed() => self.expect_change(),
                () = regularly(noticing) => self.look(Written::Perhaps).await,
                _ = facts.tick() => self.look(Written::Perhaps).await,
            }
        }
    }

    fn expect_change(&mut self) {
        let now = Instant::now();
        self.due = Some(Due::after_change(now, self.due));
    }

    /// Looks at the file, and applies what it says when that is something else than before.
    async fn look(&mut self, written: Written) {
        self.due = None;
        let path = self.held.borrow().path.clone();
        self.watch.follow(&path);
        let content = self.read(&path).await;
        let look = self.judge(content, &path).await;
        if look.content == self.content {
            self.doubt = None;
            self.note_facts(look).await;
            return;
        }
        if written == Written::Perhaps
            && let Some(until) = self.doubt(&look)
        {
            self.due = Some(Due {
                at: until,
                latest: until,
            });
            return;
        }
        self.doubt = None;
        self.take(look).await;
    }

    /// Returns until when a content is waited with, because it may be half written.
    fn doubt(&mut self, look: &Look) -> Option<Instant> {
        let now = Instant::now();
        let is_empty = look.content == Content::Bytes(Vec::new());
        let loses_agents = look.verdict.config.as_ref().is_some_and(|new| {
            let change = ConfigChange::between(&self.held.borrow().config, new);
            !change.agents.removed.is_empty()
        });
        let patience = match &look.content {
            Content::Bytes(_) if loses_agents && is_empty => IN_DOUBT,
            Content::Bytes(_) if loses_agents => AGENTS_GONE,
            Content::Bytes(_) if is_empty => HALF_WRITTEN,
            Content::Bytes(_) => return None,
            Content::Unreadable(_) => HALF_WRITTEN,
        };
        let doubt = self.doubt.get_or_insert_with(|| Doubt {
            content: look.content.clone(),
            seen: now,
            since: now,
        });
        if doubt.content != look.content {
            doubt.content = look.content.clone();
            doubt.seen = now;
        }
        let until = (doubt.seen + patience).min(doubt.since + IN_DOUBT);
        (now < until).then_some(until)
    }

    /// Takes note that the same file is right or wrong in other ways than before: the world has changed.
    async fn note_facts(&mut self, look: Look) {
        let old = Arc::clone(&self.held.borrow());
        if look.verdict.problems == old.problems {
            return;
        }
        let problems = look.verdict.problems;
        self.held.send_replace(Arc::new(Held {
            problems,
            ..Held::clone(&old)
        }));
        self.tell().await;
    }

    /// Disks and networks may be slow; the runtime has better to do than to wait for them.
    async fn read(&self, path: &Path) -> Content {
        let path = path.to_owned();
        let reading = tokio::task::spawn_blocking(move || read(&path));
        reading.await.unwrap_or_else(|error| unreadable(&error))
    }

    async fn judge(&self, content: Content, path: &Path) -> Look {
        let machine = self.machine.clone();
        let path = path.to_owned();
        let judging = tokio::task::spawn_blocking(move || judge(content, &path, &machine));
        judging
            .await
            .expect("judging a file does not panic, and the runtime outlives this task")
    }

    /// Applies what stands in the file now.
    async fn take(&mut self, look: Look) {
        let old = Arc::clone(&self.held.borrow());
        let error = first_problem(&look.verdict.problems);
        let held = Held {
            valid: look.verdict.config.is_some(),
            config: look
                .verdict
                .config
                .map_or_else(|| Arc::clone(&old.config), Arc::new),
            problems: look.verdict.problems,
            ..Held::clone(&old)
        };
        tracing::info!(path = %held.path.display(), valid = held.valid, error, "the configuration changed");
        self.content = look.content;
        let change = ConfigChange::between(&old.config, &held.config);
        self.held.send_replace(Arc::new(held));
        if let Err(error) = self.agents.apply(change, error).await {
            tracing::error!(%error, "the agents could not be brought in line with the configuration");
        }
        self.tell().await;
    }

    async fn tell(&self) {
        let held = Arc::clone(&self.held.borrow());
        let changed = Event::ConfigChanged(ConfigChanged {
            path: held.path.display().to_string(),
            valid: held.valid,
            problems: held.problems.clone(),
        });
        // The hub is gone only when the daemon ends.
        self.events.send(UnitEvent::Publish(changed)).await.ok();
    }

    async fn answer(&mut self, request: ConfigRequest) {
        // Whoever no longer waits for an answer needs none.
        match request {
            ConfigRequest::Look(respond) => {
                self.look(Written::Perhaps).await;
                respond.send(Ok(())).ok();
            }
            ConfigRequest::Content(respond) => drop(respond.send(self.content())),
            ConfigRequest::Validate(text, respond) => drop(respond.send(Ok(self.validate(&text)))),
            ConfigRequest::Save(params, respond) => {
                let outcome = self.save(params).await;
                respond.send(outcome).ok();
            }
            ConfigRequest::Open(path, respond) => {
                let outcome = self.open(path).await;
                respond.send(outcome).ok();
            }
            ConfigRequest::Recent(respond) => {
                respond.send(Ok(ConfigRecentReply(self.recent.view()))).ok();
            }
            ConfigRequest::Known(respond) => {
                let agents = self.machine.known();
                respond.send(Ok(ConfigKnownReply { agents })).ok();
            }
        }
    }

    /// Reads the file as it is at this moment, which the watch may not have told yet.
    fn bytes(&self) -> Result<Vec<u8>, RpcError> {
        let path = self.held.borrow().path.clone();
        let failed = |error: std::io::Error| {
            let cause = Cause::NotReadable {
                path: path.display().to_string(),
                error: error.to_string(),
            };
            file_error(&path, "cannot be read", &error).with_cause(cause)
        };
        let metadata = std::fs::metadata(&path).map_err(failed)?;
        // Reading a pipe or a device would wait, or never end.
        if !metadata.is_file() || metadata.len() > FILE_BYTES as u64 {
            let message = format!(
                "the configuration file {} is no regular file of at most {FILE_BYTES} bytes",
                path.display()
            );
            let cause = Cause::NotReadable {
                path: path.display().to_string(),
                error: format!("no regular file of at most {FILE_BYTES} bytes"),
            };
            return Err(RpcError::new(ErrorKind::FileError, message).with_cause(cause));
        }
        std::fs::read(&path).map_err(failed)
    }

    fn content(&self) -> Answer<ConfigContentReply> {
        let bytes = self.bytes()?;
        let hash = hash(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| {
            let path = self.held.borrow().path.display().to_string();
            let message = format!("the configuration file {path} is no UTF-8");
            let error = "no UTF-8".to_owned();
            RpcError::new(ErrorKind::FileError, message).with_cause(Cause::NotReadable { path, error })
        })?;
        Ok(ConfigContentReply { text, hash })
    }

    fn validate(&self, text: &str) -> ConfigValidateReply {
        let verdict = check(text.as_bytes(), &self.held.borrow().path, &self.machine).verdict;
        ConfigValidateReply {
            valid: verdict.config.is_some(),
            problems: verdict.problems,
        }
    }

    async fn save(&mut self, params: ConfigSaveParams) -> Answer<ConfigSaveReply> {
        let ConfigSaveParams {
            text,
            hash: hash_of_old,
        } = params;
        let path = self.held.borrow().path.clone();
        let ConfigValidateReply { valid, problems } = self.validate(&text);
        let hash_of_file = hash(&self.bytes()?);
        let reason = if hash_of_file != hash_of_old {
            Some(NotSaved::Changed)
        } else if !valid {
            Some(NotSaved::Invalid)
        } else {
            None
        };
        if reason.is_some() {
            return Ok(ConfigSaveReply {
                saved: false,
                reason,
                problems,
                hash: hash_of_file,
            });
        }
        write_configuration(&path, text.as_bytes()).map_err(|error| {
            let cause = Cause::NotWritable {
                path: path.display().to_string(),
                error: error.to_string(),
            };
            file_error(&path, "cannot be written", &error).with_cause(cause)
        })?;
        self.look(Written::Whole).await;
        Ok(ConfigSaveReply {
            saved: true,
            reason: None,
            problems,
            hash: hash(text.as_bytes()),
        })
    }

    async fn open(&mut self, path: PathBuf) -> Answer<ConfigView> {
        if !path.is_absolute() {
            return Err(RpcError::new(
                ErrorKind::InvalidParams,
                format!("the path {} must be absolute", path.display()),
            ));
        }
        let shown = path.display().to_string();
        let missing = || {
            let message = format!("the configuration file {shown} does not exist");
            let cause = Cause::NoFile { path: shown.clone() };
            RpcError::new(ErrorKind::NotFound, message).with_cause(cause)
        };
        let not_readable = |kind, message: String, error: String| {
            let path = shown.clone();
            RpcError::new(kind, message).with_cause(Cause::NotReadable { path, error })
        };
        match standing(&path) {
            Standing::File => {}
            Standing::Absent => return Err(missing()),
            Standing::Obstructed(obstacle) => {
                let words = obstacle.to_string();
                return Err(not_readable(ErrorKind::NotFound, words.clone(), words));
            }
        }
        let canonical = path.canonicalize().map_err(|_| missing())?;
        let content = self.read(&path).await;
        if let Content::Unreadable(cause) = &content {
            let words = sentence(cause);
            let message = format!("{}: {words}", path.display());
            return Err(not_readable(ErrorKind::FileError, message, words));
        }
        let look = self.judge(content, &path).await;
        let opened = Opened {
            path,
            canonical,
            source: ConfigSource::Recent,
            created: false,
        };
        let held = hold(&opened, &look, Config::default());
        tracing::info!(path = %held.path.display(), valid = held.valid, "another configuration is opened");
        let replaced = self
            .agents
            .replace(&held.canonical, &held.config, held.error())
            .await;
        if let Err(error) = replaced {
            tracing::error!(%error, "the agents of the configuration could not be begun");
        }
        self.content = look.content;
        self.doubt = None;
        self.held.send_replace(Arc::new(held));
        self.watch.follow(&opened.path);
        if let Err(error) = self.recent.remember(&opened.path) {
            tracing::warn!(%error, "the list of recent files could not be written");
        }
        self.tell().await;
        // What changed while the agents were stopped.
        self.look(Written::Perhaps).await;
        Ok(self.held.borrow().view())
    }
}

fn file_error(path: &Path, what: &str, error: &std::io::Error) -> RpcError {
    RpcError::new(
        ErrorKind::FileError,
        format!("the configuration file {} {what}: {error}", path.display()),
    )
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn regularly(noticing: Noticing) {
    match noticing {
        Noticing::ByWatch => std::future::pending().await,
        Noticing::ByLooking => tokio::time::sleep(REGULARLY).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_without_end_are_looked_at_all_the_same() {
        let begin = Instant::now();
        let step = QUIET / 3;
        // The file was empty, in the middle of a save, and is waited with.
        let in_doubt = Due {
            at: begin + IN_DOUBT,
            latest: begin + IN_DOUBT,
        };
        for before in [None, Some(in_doubt)] {
            let mut due = before;
            let mut now = begin;
            while due.is_none_or(|due| due.at > now) {
                due = Some(Due::after_change(now, due));
                now += step;
                assert!(now <= begin + LATEST + step, "no look comes");
            }
        }
    }
}
