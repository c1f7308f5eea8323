//! `pupitre`: the command line. Reads the arguments, runs one command, and turns its outcome into an exit code.

mod arguments;
mod commands;
mod demo_agent;
mod desk;
mod failure;
mod form;
mod interrupt;
mod launch;
mod output;

use std::process::ExitCode;

use arguments::Arguments;
use clap::Parser as _;
use output::Output;

fn main() -> ExitCode {
    // A guard is watched for its size, and must own the process from its first step.
    #[cfg(unix)]
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "guard") {
        return pupitre_guard::run();
    }
    match Arguments::try_parse() {
        Ok(arguments) => commands::run(arguments),
        Err(error) => wrong_use(&error),
    }
}

/// Prints the help or the version that was asked for, or says what is wrong with the arguments.
fn wrong_use(error: &clap::Error) -> ExitCode {
    use pupitre_protocol::ExitCode as Code;

    let (printed, code) = if arguments::is_answer(error) {
        (error.print(), Code::Success)
    } else if arguments::lacks_verb(error) {
        // It goes to stderr.
        (error.print(), Code::Usage)
    } else {
        (
            Output::of_process().error(&arguments::sentence_of(error)),
            Code::Usage,
        )
    };
    match printed {
        Ok(()) => code.into(),
        // stdout or stderr is gone: nobody is left to read why.
        Err(_) => Code::Failure.into(),
    }
}
