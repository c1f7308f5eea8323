//! `cargo xtask gen`: runs the generators, which are tests, with UPDATE=1, and says what they changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::checkout::Checkout;
use crate::report::{self, PhaseEnd, Phases};
use crate::tools::Runner;

/// A crate whose tests write files.
struct Generator {
    package: &'static str,
    /// Folders or files, from the root, in which it writes.
    writes: &'static [&'static str],
}

const GENERATORS: &[Generator] = &[
    Generator {
        package: "pupitre-protocol",
        writes: &["docs/reference", "apps/web/src/gen"],
    },
    Generator {
        package: "pupitre-model",
        writes: &["docs/reference"],
    },
];

pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    let mut phases = Phases::of("gen");
    let before = written(checkout)?;
    let runner = Runner::installed();
    let mut whole = true;
    for generator in GENERATORS {
        // Every test of the crate, since a generator cannot be told from a test by its name.
        let invocation = runner
            .invocation(["-p", generator.package])
            .environment("UPDATE", "1");
        whole &= phases.command(generator.package, &invocation) == PhaseEnd::Passed;
    }
    let changes = changes(&before, &written(checkout)?);
    if whole && changes.is_empty() {
        report::line("every generated file was up to date");
    }
    for change in changes {
        report::line(change);
    }
    phases.finish()
}

type Written = BTreeMap<PathBuf, Vec<u8>>;

fn written(checkout: &Checkout) -> Result<Written> {
    let mut files = Written::new();
    for path in GENERATORS.iter().flat_map(|generator| generator.writes) {
        collect(checkout.root(), Path::new(path), &mut files)?;
    }
    Ok(files)
}

fn collect(root: &Path, path: &Path, files: &mut Written) -> Result<()> {
    let absolute = root.join(path);
    if absolute.is_dir() {
        let entries =
            std::fs::read_dir(&absolute).with_context(|| format!("cannot list {}", path.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", path.display()))?;
            collect(root, &path.join(entry.file_name()), files)?;
        }
    } else if absolute.exists() {
        let bytes = std::fs::read(&absolute).with_context(|| format!("cannot read {}", path.display()))?;
        files.insert(path.to_owned(), bytes);
    }
    Ok(())
}

fn changes(before: &Written, after: &Written) -> Vec<String> {
    let mut changes = Vec::new();
    for (path, bytes) in after {
        match before.get(path) {
            None => changes.push(format!("written: {}", path.display())),
            Some(old) if old != bytes => changes.push(format!("rewritten: {}", path.display())),
            Some(_) => {}
        }
    }
    let removed = before.keys().filter(|path| !after.contains_key(*path));
    changes.extend(removed.map(|path| format!("removed: {}", path.display())));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_changed_and_nothing_else() {
        let files = |list: &[(&str, &str)]| -> Written {
            list.iter()
                .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()))
                .collect()
        };
        let before = files(&[("a.md", "1"), ("b.md", "1"), ("c.md", "1")]);
        let after = files(&[("a.md", "1"), ("b.md", "2"), ("d.md", "1")]);
        assert_eq!(
            changes(&before, &after),
            ["rewritten: b.md", "written: d.md", "removed: c.md"]
        );
        assert_eq!(changes(&after, &after), [""; 0]);
    }
}
