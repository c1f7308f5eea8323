//! Which values of `env` are secrets: by where they come from, by their name, or by their form.
//!
//! A value that is none can still be blotted out where nobody reads for meaning, such as in the trace.

use super::EnvValue;

/// Shorter values are no secrets, whatever they are called: without them nothing could be read. In bytes.
pub const SECRET_BYTES: usize = 4;

/// Shorter values do not look like secrets. In bytes.
const LOOKS_SECRET_BYTES: usize = 8;

/// Ends of the words of a variable's name that say that its value is a secret. `TOKENS` is none: they are counted.
const SECRET_ENDS: [&str; 11] = [
    "KEY",
    "KEYS",
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "COOKIE",
];

/// Words of a variable's name that say the same.
const SECRET_WORDS: [&str; 5] = ["AUTH", "PASS", "PAT", "PIN", "PRIVATE"];

/// Variables of every system, from which no secret comes.
const PLAIN_VARIABLES: [&str; 14] = [
    "DISPLAY", "EDITOR", "HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
    "USERNAME", "VISUAL",
];

/// Whether a value of `env` is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// It is never shown, whatever its form.
    Secret,
    /// It may be a path, an address, a word or a switch, which an answer cannot do without.
    Plain,
}

impl Secrecy {
    /// Returns whether what this variable of an `env` is given is a secret. `value` is what stands in the file, `text` what
    /// it becomes.
    pub fn of(name: &str, value: &EnvValue, text: &str) -> Self {
        if text.len() < SECRET_BYTES || matches!(text, "true" | "false" | "null") {
            return Self::Plain;
        }
        let inherited = match value {
            EnvValue::Inherited(from) if is_named_secret(from) => return Self::Secret,
            EnvValue::Inherited(from) => !is_plain_variable(from),
            EnvValue::Literal(_) => false,
        };
        if inherited || is_named_secret(name) || looks_secret(text) {
            Self::Secret
        } else {
            Self::Plain
        }
    }
}

/// Returns whether a variable, or whatever has this name, is called a secret.
pub(super) fn is_named_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.split(|symbol: char| !symbol.is_ascii_alphanumeric())
        .any(|word| SECRET_WORDS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end)))
}

fn is_plain_variable(name: &str) -> bool {
    PLAIN_VARIABLES.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
}

/// Says whether a text looks like a secret, and not like a path, an address, a plain word or a switch.
fn looks_secret(text: &str) -> bool {
    let is_path = text.starts_with(['/', '~', '.']);
    let is_address = text.contains("://") && !text.contains('@');
    let is_word = text
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_');
    text.len() >= LOOKS_SECRET_BYTES && !is_path && !is_address && !is_word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str, text: &str, expected: Secrecy) {
        assert_eq!(
            Secrecy::of(name, &EnvValue::of(value), text),
            expected,
            "{name}={value} is {text}"
        );
    }

    #[test]
    fn what_comes_from_outside_or_is_called_a_secret_is_one() {
        for text in ["sk-51c7d0e2", "lowercase", "/etc/key", "1234", "http://127.0.0.1"] {
            check("ANYTHING", "$SOMETHING", text, Secrecy::Secret);
            for name in [
                "API_KEY",
                "OPENAIKEY",
                "GITHUB_TOKEN",
                "password",
                "Db-Pass",
                "AUTH_HEADER",
                "AWS_SECRET_ACCESS_ID",
            ] {
                check(name, text, text, Secrecy::Secret);
            }
        }
        // The name by which it is known inside says it, too.
        check("GEMINI_API_KEY", "$HOME", "/home/ada", Secrecy::Secret);
    }

    #[test]
    fn what_is_short_or_of_every_system_is_none() {
        for text in ["", "1", "abc", "true", "null"] {
            check("API_KEY", text, text, Secrecy::Plain);
            check("API_KEY", "$KEY", text, Secrecy::Plain);
        }
        check("X", "$HOME", "/home/ada", Secrecy::Plain);
        check("X", "$USER", "ada-lovelace", Secrecy::Plain);
        check("X", "$XDG_RUNTIME_DIR", "/run/user/1000", Secrecy::Plain);
    }

    #[test]
    fn of_other_values_the_form_decides() {
        for text in [
            "/home/ada/src",
            "~/src/app",
            "http://127.0.0.1:80",
            "production",
            "true",
            "8080",
        ] {
            check("SETTING", text, text, Secrecy::Plain);
            check("MAX_OUTPUT_TOKENS", text, text, Secrecy::Plain);
        }
        for text in ["sk-51c7d0e2", "Correct Horse", "https://ada:pw@host", "12345678"] {
            check("SETTING", text, text, Secrecy::Secret);
        }
    }
}
