//! One line on the machine and the version that were measured.

use std::fs;

use anyhow::{Context as _, Result};

use crate::invocation::Invocation;

/// Returns cores, processor, memory, kernel, compiler and commit in one line.
pub(super) fn description() -> Result<String> {
    let cores = std::thread::available_parallelism().context("cannot count the cores")?;
    let processor = field(&read("/proc/cpuinfo")?, "model name");
    let processor = processor.unwrap_or_else(|| "a processor without a name".to_owned());
    let memory = field(&read("/proc/meminfo")?, "MemTotal").unwrap_or_else(|| "unknown".to_owned());
    let kernel = read("/proc/sys/kernel/osrelease")?;
    let compiler = Invocation::of("rustc").arguments(["--version"]).output()?;
    // A tree without a commit has none to name.
    let commit = Invocation::of("git")
        .arguments(["describe", "--always", "--dirty"])
        .output();
    let commit = commit.map_or_else(
        |_| "no commit".to_owned(),
        |text| format!("commit {}", text.trim()),
    );
    Ok(format!(
        "{cores} cores of {processor}, {} of memory, Linux {}, {}, {commit}",
        gibibytes(&memory),
        kernel.trim(),
        compiler.trim()
    ))
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {path}"))
}

/// Returns what follows `name` and a colon in the first such line.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

fn gibibytes(memory: &str) -> String {
    match memory
        .strip_suffix("kB")
        .and_then(|number| number.trim().parse::<f64>().ok())
    {
        Some(kibibytes) => format!("{:.0} GiB", kibibytes / 1024.0 / 1024.0),
        None => memory.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_their_whole_name() {
        let text = "model\t\t: 85\nmodel name\t: Some Processor\nmodel name\t: Another\n";
        assert_eq!(field(text, "model name"), Some("Some Processor".to_owned()));
        assert_eq!(field(text, "name"), None);
        assert_eq!(gibibytes("25165824 kB"), "24 GiB");
        assert_eq!(gibibytes("unknown"), "unknown");
    }
}
