//! Channels: whom a message to a room with several agents goes to.

use pupitre_protocol::AgentName;

/// Returns the agents of a channel that a text mentions with `@NAME`, in the order of the channel; all when it mentions
/// none (configuration page, What is in it).
///
/// An `@` counts at the beginning of a word, so that an address of electronic mail mentions nobody.
pub fn recipients(text: &str, agents: &[AgentName]) -> Vec<AgentName> {
    let mentioned: Vec<&str> = mentions(text).collect();
    let is_mentioned = |agent: &&AgentName| {
        mentioned
            .iter()
            .any(|word| *word == agent.as_str() || word.trim_end_matches(['-', '_']) == agent.as_str())
    };
    let chosen: Vec<AgentName> = agents.iter().filter(is_mentioned).cloned().collect();
    if chosen.is_empty() {
        agents.to_vec()
    } else {
        chosen
    }
}

fn is_of_name(symbol: char) -> bool {
    matches!(symbol, 'a'..='z' | '0'..='9' | '-' | '_')
}

/// Returns the words behind each `@`.
fn mentions(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('@').filter_map(|(at, _)| {
        let begins =
            !text[..at].ends_with(|before: char| before.is_alphanumeric() || "._-+@/".contains(before));
        let word = &text[at + 1..];
        let end = word.find(|symbol| !is_of_name(symbol)).unwrap_or(word.len());
        // A word that goes on in capitals is another word.
        let ends = !word[end..].starts_with(char::is_alphanumeric);
        (begins && ends && end > 0).then_some(&word[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let agents: Vec<AgentName> = ["gemini", "claude", "claude-2"]
            .iter()
            .map(|name| name.parse().expect("a name"))
            .collect();
        let found = recipients(text, &agents);
        let found: Vec<&str> = found.iter().map(AgentName::as_str).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_message_goes_to_whom_it_mentions_or_to_all() {
        let all = ["gemini", "claude", "claude-2"];
        check("hello", &all);
        check("@gemini, look", &["gemini"]);
        check("look (@claude) and @gemini.", &["gemini", "claude"]);
        check("@claude-2 only", &["claude-2"]);
        check("@claude- really", &["claude"]);
        check("@claude\n@claude", &["claude"]);
        check("mail me@gemini.dev or a+b@claude", &all);
        check("@nobody", &all);
        check("@geminiX, @gémini, @, @@gemini", &all);
    }
}
