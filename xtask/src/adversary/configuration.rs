//! The configuration file: damaged files thrown at its reader.

use super::{Adversary, Extent};

pub(super) const FUZZ: Adversary = Adversary {
    name: "configuration-fuzz",
    what: "50,000 damaged files, with --long 1,000,000, through the reader of the configuration",
    build: &["--package", "pupitre-model", "--example", "fuzz_configuration"],
    program: "examples/fuzz_configuration",
    arguments: |extent| {
        let seeds = match extent {
            Extent::Short => "50000",
            Extent::Long => "1000000",
        };
        vec!["--seeds".to_owned(), seeds.to_owned()]
    },
};
