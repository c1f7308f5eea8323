//! The rule that no test sleeps: a test waits for an event, with a deadline that fails it.
//! Where nothing announces what a test waits for, a `// sleep:` comment on the line above says so.

use super::code::{code_only, test_modules};
use super::{Finding, Language, SourceFile, language};

const EXCUSE: &str = "// sleep:";

pub(super) fn in_tests(source: &SourceFile) -> Vec<Finding> {
    let Some(language) = language(&source.path) else {
        return Vec::new();
    };
    let code = code_only(&source.text, language);
    let tests: Vec<_> = match (language, is_test_file(&source.path)) {
        (_, true) => std::iter::once(0..code.lines().count()).collect(),
        (Language::Rust, false) => test_modules(&code),
        (Language::TypeScript, false) => return Vec::new(),
    };
    let raw: Vec<&str> = source.text.lines().collect();
    let excused = |index: usize| {
        raw[index].contains(EXCUSE) || index > 0 && raw[index - 1].trim_start().starts_with(EXCUSE)
    };
    let mut findings = Vec::new();
    for (index, line) in code.lines().enumerate() {
        if tests.iter().any(|lines| lines.contains(&index)) && sleeps(line, language) && !excused(index) {
            findings.push(Finding {
                path: source.path.clone(),
                line: index + 1,
                what: "a test waits for a time".to_owned(),
                to_do: "wait for an event with a deadline, or say in a `// sleep:` comment above why there is none",
            });
        }
    }
    findings
}

fn is_test_file(path: &str) -> bool {
    let mut segments = path.split('/').rev();
    let file = segments.next().unwrap_or_default();
    file == "tests.rs"
        || file.contains(".test.")
        || file.contains(".spec.")
        || segments.any(|folder| matches!(folder, "tests" | "e2e"))
}

fn sleeps(line: &str, language: Language) -> bool {
    let calls: &[&str] = match language {
        Language::Rust => &["sleep", "sleep_ms", "sleep_until"],
        Language::TypeScript => &["sleep", "setTimeout", "waitForTimeout"],
    };
    calls.iter().any(|name| calls_function(line, name, language))
}

/// Returns whether `name` is called in this line of code, and not defined, and in Rust not as somebody's method.
fn calls_function(line: &str, name: &str, language: Language) -> bool {
    line.match_indices(name).any(|(start, _)| {
        let before = &line[..start];
        let after = &line[start + name.len()..];
        let part_of_a_word = before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let method = language == Language::Rust && before.ends_with('.');
        let definition = before.trim_end().ends_with("fn") || before.trim_end().ends_with("function");
        after.trim_start().starts_with('(') && !part_of_a_word && !method && !definition
    })
}
