//! `cargo xtask`: the one entry for whoever works on Pupitre.
//! Reads the verb and hands over; each verb has a file of its name (`gen` is a keyword, so its file is `generate.rs`).

mod adversary;
mod bench;
mod check;
mod checkout;
mod generate;
mod invocation;
mod report;
mod request;
mod rules;
mod test;
mod tools;
mod web;

use std::process::ExitCode;

use crate::checkout::Checkout;
use crate::request::Request;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let request = match Request::parse(&arguments) {
        Ok(request) => request,
        Err(error) => {
            report::error(&error);
            return ExitCode::from(2);
        }
    };
    match carry_out(request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn carry_out(request: Request) -> anyhow::Result<()> {
    if let Request::Help(topic) = &request {
        report::line(topic.text());
        return Ok(());
    }
    let checkout = Checkout::find()?;
    match request {
        Request::Check => check::run(&checkout),
        Request::Test { arguments } => test::run(&checkout, &arguments),
        Request::Gen => generate::run(&checkout),
        Request::BenchList => {
            bench::list();
            Ok(())
        }
        Request::Bench { names } => bench::run(&checkout, &names),
        Request::AdversaryList => {
            adversary::list();
            Ok(())
        }
        Request::Adversary { names, extent } => adversary::run(&checkout, &names, extent),
        Request::Help(_) => Ok(()),
    }
}
