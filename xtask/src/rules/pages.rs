//! Rules on what users read: every page in English and in French.

use std::collections::BTreeSet;

use super::Finding;

/// Returns a finding for each page under docs/en or docs/fr without its twin, placed at the page that is there.
pub(super) fn both_languages(paths: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (here, there) in [("docs/en/", "docs/fr/"), ("docs/fr/", "docs/en/")] {
        for path in paths.iter().filter(|path| path.ends_with(".md")) {
            let Some(page) = path.strip_prefix(here) else {
                continue;
            };
            let twin = format!("{there}{page}");
            if !paths.contains(&twin) {
                findings.push(Finding {
                    path: path.clone(),
                    line: 1,
                    what: format!("{twin} is missing"),
                    to_do: "write the page in both languages",
                });
            }
        }
    }
    findings
}

pub(super) fn front_pages(paths: &BTreeSet<String>) -> Vec<Finding> {
    let missing = ["README.md", "README.fr.md"]
        .into_iter()
        .filter(|page| !paths.contains(*page));
    missing
        .map(|page| Finding {
            path: page.to_owned(),
            line: 1,
            what: "the page is missing".to_owned(),
            to_do: "the project presents itself in English and in French",
        })
        .collect()
}
