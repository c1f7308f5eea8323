//! Who was let in: one-time tokens, and the sessions of browsers that brought one.
//!
//! Secrets are random, 256 bits, and known here by their SHA-256 alone, in memory and in the file, so that whoever reads
//! the file cannot come in with what it says. Sessions outlive the daemon: an open page comes back by itself.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pupitre_protocol::limits::{PAGE_SESSION_MS, PAGE_SESSIONS, PAGE_TOKEN_MS, PAGE_TOKENS};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio_util::sync::CancellationToken;

use crate::clock::{epoch_ms, steady_ms};

const SECRET_BYTES: usize = 32;

/// How often it is written down that a browser was seen, in milliseconds.
const SEEN_STEP_MS: u64 = 3_600_000;

/// Tokens and sessions of one daemon.
#[derive(Debug)]
pub(super) struct Sessions {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    port: Option<u16>,
    tokens: Vec<Token>,
    sessions: Vec<Session>,
}

/// An address that was given out and not used.
#[derive(Debug)]
struct Token {
    hash: Hash,
    /// On the clock that never goes back, which ends with the daemon, as the token does.
    good_until_ms: u64,
}

#[derive(Debug)]
struct Session {
    hash: Hash,
    seen_at_ms: u64,
    ended: CancellationToken,
}

type Hash = [u8; 32];

/// What the file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    port: Option<u16>,
    sessions: Vec<StoredSession>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSession {
    /// The SHA-256 of the secret, in base64.
    hash: String,
    seen_at_ms: u64,
}

impl Sessions {
    /// Reads what was stored. A file that cannot be understood counts as none: everybody comes in anew.
    ///
    /// # Errors
    ///
    /// When the file is there and cannot be read.
    pub(super) fn open(file: PathBuf) -> io::Result<Self> {
        let stored = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(path = %file.display(), %error, "the sessions of the page cannot be read; they begin anew");
                Stored::default()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Stored::default(),
            Err(error) => return Err(error),
        };
        let now = epoch_ms();
        let sessions = stored.sessions.into_iter().filter_map(Session::restore);
        let state = State {
            port: stored.port,
            tokens: Vec::new(),
            sessions: sessions.filter(|session| session.is_good(now)).collect(),
        };
        Ok(Self {
            file,
            state: Mutex::new(state),
        })
    }

    /// Returns the port on which the page was served the last time.
    pub(super) fn last_port(&self) -> Option<u16> {
        self.lock().port
    }

    pub(super) fn set_port(&self, port: u16) {
        let mut state = self.lock();
        state.port = Some(port);
        self.store(&state);
    }

    /// Returns a new token, good once and for a few minutes.
    pub(super) fn new_token(&self) -> String {
        self.new_token_at(steady_ms())
    }

    fn new_token_at(&self, now_ms: u64) -> String {
        let (secret, hash) = new_secret();
        let mut state = self.lock();
        state.tokens.retain(|token| token.good_until_ms > now_ms);
        if state.tokens.len() >= PAGE_TOKENS {
            state.tokens.remove(0);
        }
        state.tokens.push(Token {
            hash,
            good_until_ms: now_ms + PAGE_TOKEN_MS,
        });
        secret
    }

    /// Takes a token and returns the secret of a session; `None` when the token is not good (any longer).
    ///
    /// A browser that has a session keeps it: `held` is what its cookies say.
    pub(super) fn exchange(&self, token: &str, held: &[&str]) -> Option<String> {
        self.exchange_at(token, held, steady_ms())
    }

    fn exchange_at(&self, token: &str, held: &[&str], now_ms: u64) -> Option<String> {
        let mut state = self.lock();
        let wanted = hash(token);
        let place = find(state.tokens.iter().map(|token| &token.hash), &wanted)?;
        let token = state.tokens.remove(place);
        if token.good_until_ms <= now_ms {
            return None;
        }
        let now = epoch_ms();
        if let Some(secret) = held.iter().find(|secret| state.place_of(secret, now).is_some()) {
            return Some((*secret).to_owned());
        }
        let (secret, hash) = new_secret();
        state.sessions.retain(|session| session.is_good(now));
        if state.sessions.len() >= PAGE_SESSIONS {
            let oldest = (0..state.sessions.len()).min_by_key(|place| state.sessions[*place].seen_at_ms);
            let oldest = state.sessions.remove(oldest.expect("there are some"));
            oldest.ended.cancel();
        }
        state.sessions.push(Session {
            hash,
            seen_at_ms: now,
            ended: CancellationToken::new(),
        });
        self.store(&state);
        Some(secret)
    }

    /// Returns the word that the session ends, for the first of these secrets that has one.
    pub(super) fn find(&self, held: &[&str]) -> Option<CancellationToken> {
        let mut state = self.lock();
        let now = epoch_ms();
        let place = held.iter().find_map(|secret| state.place_of(secret, now))?;
        let session = &mut state.sessions[place];
        let ended = session.ended.clone();
        if now.saturating_sub(session.seen_at_ms) > SEEN_STEP_MS {
            session.seen_at_ms = now;
            self.store(&state);
        }
        Some(ended)
    }

    /// Ends the sessions with these secrets.
    pub(super) fn end(&self, held: &[&str]) {
        let mut state = self.lock();
        for secret in held {
            if let Some(place) = state.place_of(secret, epoch_ms()) {
                state.sessions.remove(place).ended.cancel();
            }
        }
        self.store(&state);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the sessions")
    }

    /// Writes the file. When that fails the sessions end with the daemon, and the log says so.
    fn store(&self, state: &State) {
        let stored = Stored {
            port: state.port,
            sessions: state.sessions.iter().map(Session::stored).collect(),
        };
        let text = serde_json::to_vec(&stored).expect("numbers and texts");
        if let Err(error) = write(&self.file, &text) {
            tracing::error!(path = %self.file.display(), %error, "the sessions of the page cannot be written");
        }
    }
}

impl State {
    fn place_of(&self, secret: &str, now_ms: u64) -> Option<usize> {
        let place = find(self.sessions.iter().map(|session| &session.hash), &hash(secret))?;
        self.sessions[place].is_good(now_ms).then_some(place)
    }
}

impl Session {
    fn restore(stored: StoredSession) -> Option<Self> {
        let hash = URL_SAFE_NO_PAD.decode(stored.hash).ok()?;
        Some(Self {
            hash: hash.try_into().ok()?,
            seen_at_ms: stored.seen_at_ms,
            ended: CancellationToken::new(),
        })
    }

    fn stored(&self) -> StoredSession {
        StoredSession {
            hash: URL_SAFE_NO_PAD.encode(self.hash),
            seen_at_ms: self.seen_at_ms,
        }
    }

    fn is_good(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.seen_at_ms) < PAGE_SESSION_MS
    }
}

fn new_secret() -> (String, Hash) {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).expect("a system that runs agents has random numbers");
    let secret = URL_SAFE_NO_PAD.encode(bytes);
    let hash = hash(&secret);
    (secret, hash)
}

fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Returns where the wanted one stands. How long it takes says nothing of the secrets.
fn find<'state>(hashes: impl Iterator<Item = &'state Hash>, wanted: &Hash) -> Option<usize> {
    let mut found = None;
    for (place, hash) in hashes.enumerate() {
        if bool::from(hash.ct_eq(wanted)) {
            found = Some(place);
        }
    }
    found
}

/// Replaces the file whole, for nobody else to read.
fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let new = path.with_extension("json.new");
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(text)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn sessions() -> (tempfile::TempDir, Sessions) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sessions = Sessions::open(folder.path().join("page.json")).expect("there is no file yet");
        (folder, sessions)
    }

    #[test]
    fn a_token_is_good_once() {
        let (_folder, sessions) = sessions();
        let token = sessions.new_token();
        assert!(sessions.exchange("", &[]).is_none() && sessions.exchange(&token[1..], &[]).is_none());
        let secret = sessions.exchange(&token, &[]).expect("it is good");
        assert!(secret != token && secret.len() == 43, "{secret}");
        assert_eq!(sessions.exchange(&token, &[]), None);
        assert!(sessions.find(&["other", &secret]).is_some());
        // The token itself is no session, and the secret of a session no token.
        assert!(sessions.find(&[&token]).is_none());
        assert_eq!(sessions.exchange(&secret, &[]), None);
    }

    #[test]
    fn a_token_does_not_stay_good() {
        let (_folder, sessions) = sessions();
        let token = sessions.new_token_at(1_000);
        assert_eq!(sessions.exchange_at(&token, &[], 1_000 + PAGE_TOKEN_MS), None);
        let token = sessions.new_token_at(1_000);
        assert!(sessions.exchange_at(&token, &[], 999 + PAGE_TOKEN_MS).is_some());
        let first = sessions.new_token_at(1_000);
        for _ in 0..PAGE_TOKENS {
            sessions.new_token_at(1_000);
        }
        assert_eq!(
            sessions.exchange_at(&first, &[], 1_000),
            None,
            "newer ones took its place"
        );
    }

    #[test]
    fn a_session_ends_when_it_is_told_and_whoever_uses_it_is_told_too() {
        let (_folder, sessions) = sessions();
        let secret = sessions.exchange(&sessions.new_token(), &[]).expect("it is good");
        let again = sessions
            .exchange(&sessions.new_token(), &[&secret])
            .expect("it is good");
        assert_eq!(again, secret, "one browser has one session");
        let ended = sessions.find(&[&secret]).expect("it has begun");
        assert!(!ended.is_cancelled());
        sessions.end(&["other", &secret]);
        assert!(ended.is_cancelled() && sessions.find(&[&secret]).is_none());
    }

    #[test]
    fn a_new_session_takes_the_place_of_the_oldest() {
        let (_folder, sessions) = sessions();
        let first = sessions.exchange(&sessions.new_token(), &[]).expect("it is good");
        let ended = sessions.find(&[&first]).expect("it has begun");
        sessions.lock().sessions[0].seen_at_ms -= 1;
        for _ in 0..PAGE_SESSIONS {
            assert!(!ended.is_cancelled());
            sessions.exchange(&sessions.new_token(), &[]).expect("it is good");
        }
        assert!(ended.is_cancelled() && sessions.find(&[&first]).is_none());
        assert_eq!(sessions.lock().sessions.len(), PAGE_SESSIONS);
    }

    #[test]
    fn sessions_and_the_port_outlive_the_daemon_and_secrets_are_not_in_the_file() {
        let (folder, sessions) = sessions();
        sessions.set_port(4100);
        let token = sessions.new_token();
        let unused = sessions.new_token();
        let secret = sessions.exchange(&token, &[]).expect("it is good");
        let file = folder.path().join("page.json");
        let text = fs::read_to_string(&file).expect("it was written");
        for hidden in [&token, &unused, &secret] {
            assert!(!text.contains(hidden.as_str()), "{text}");
        }
        let mode = fs::metadata(&file).expect("it was written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        let later = Sessions::open(file.clone()).expect("it can be read");
        assert_eq!(later.last_port(), Some(4100));
        assert!(later.find(&[&secret]).is_some());
        assert_eq!(later.exchange(&unused, &[]), None, "tokens end with the daemon");
        // What stands in the file lets nobody in.
        let stored: Stored = serde_json::from_str(&text).expect("it is ours");
        assert!(later.find(&[&stored.sessions[0].hash]).is_none());

        let old = text.replace(
            &format!(":{}", stored.sessions[0].seen_at_ms),
            &format!(":{}", stored.sessions[0].seen_at_ms - PAGE_SESSION_MS),
        );
        assert_ne!(old, text);
        fs::write(&file, old).expect("it can be written");
        assert!(
            Sessions::open(file.clone())
                .expect("it can be read")
                .find(&[&secret])
                .is_none()
        );
        fs::write(&file, "{").expect("it can be written");
        assert_eq!(Sessions::open(file).expect("it begins anew").last_port(), None);
    }
}
