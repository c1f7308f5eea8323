//! `pupitre chat mode` and `chat option`: what a session can be set to, and setting it.

use pupitre_protocol::ErrorKind;
use pupitre_protocol::conversation::{SetModeParams, SetOptionParams};
use pupitre_protocol::method::chat;
use serde_json::json;

use crate::support::{Desk, agent_name};

#[test]
fn modes_are_listed_and_set() {
    let desk = Desk::start();
    // Before the first message nothing is known, and nothing can be set.
    desk.run(&["chat", "mode", "demo"])
        .expect_code(0)
        .expect_stderr("no modes are known of demo");
    assert_eq!(
        desk.run(&["chat", "mode", "demo", "--json"])
            .expect_code(0)
            .json(),
        json!({"modes": null})
    );
    desk.run(&["chat", "mode", "demo", "auto"])
        .expect_code(1)
        .expect_stderr("no open session")
        .expect_stderr("`pupitre chat send demo TEXT`");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);

    let list = desk.run(&["chat", "mode", "demo"]).expect_code(0).stdout.clone();
    let marked: Vec<&str> = list.lines().filter(|line| line.starts_with('*')).collect();
    assert!(marked.len() == 1 && marked[0].contains("ask"), "{list}");
    desk.run(&["chat", "mode", "demo", "auto"])
        .expect_code(0)
        .expect_stdout("the mode of demo is auto");
    let modes = desk
        .run(&["chat", "mode", "demo", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(modes["modes"]["current"], json!("auto"));
    // By its name, in any case.
    let name = modes["modes"]["available"][0]["name"]
        .as_str()
        .unwrap()
        .to_uppercase();
    desk.run(&["chat", "mode", "demo", &name])
        .expect_code(0)
        .expect_stdout("the mode of demo is ask");
    assert_eq!(
        desk.conversation("demo").modes.expect("it has modes").current,
        "ask"
    );

    desk.run(&["chat", "mode", "demo", "yolo"])
        .expect_code(3)
        .expect_stderr("it offers: ask, auto");
    desk.run(&["chat", "mode", "nobody"])
        .expect_code(3)
        .expect_stderr("demo");
    desk.run(&["chat", "mode", "demo", "auto", "--json"])
        .expect_code(2);

    // What was told stays to be seen when the agent is stopped.
    desk.run(&["agents", "stop", "demo"]).expect_code(0);
    desk.run(&["chat", "mode", "demo"])
        .expect_code(0)
        .expect_stdout("auto");
    let (kind, message) = desk.call_refused::<chat::SetMode>(SetModeParams {
        agent: agent_name("demo"),
        mode: "auto".to_owned(),
    });
    assert_eq!(kind, ErrorKind::NoSession, "{message}");
}

#[test]
fn options_are_listed_and_set() {
    let desk = Desk::start();
    desk.run(&["chat", "option", "demo"])
        .expect_code(0)
        .expect_stderr("no options are known of demo");
    desk.run(&["chat", "option", "demo", "model", "small"])
        .expect_code(1)
        .expect_stderr("no open session");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);

    desk.run(&["chat", "option", "demo"])
        .expect_code(0)
        .expect_stdout("model")
        .expect_stdout("reasoning  off");
    let model = desk
        .run(&["chat", "option", "demo", "model", "--json"])
        .expect_code(0)
        .json();
    let choices = model["choices"].as_array().expect("the model can be chosen");
    let current = model["value"].as_str().unwrap();
    let other = choices
        .iter()
        .map(|choice| {
            (
                choice["value"].as_str().unwrap(),
                choice["name"].as_str().unwrap(),
            )
        })
        .find(|(value, _)| *value != current)
        .expect("there are two models");
    desk.run(&["chat", "option", "demo", "model"])
        .expect_code(0)
        .expect_stdout(&format!("*  {current}"))
        .expect_stdout(other.0);
    // By its name.
    desk.run(&["chat", "option", "demo", "model", other.1])
        .expect_code(0)
        .expect_stdout(&format!("the option model of demo is {}", other.0));
    desk.run(&["chat", "option", "demo", "reasoning", "on"])
        .expect_code(0)
        .expect_stdout("the option reasoning of demo is on");
    let all = desk
        .run(&["chat", "option", "demo", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(all["config_options"][0]["value"], json!(other.0));
    assert_eq!(all["config_options"][1]["value"], json!(true));
    desk.run(&["chat", "option", "demo", "reasoning"])
        .expect_code(0)
        .expect_stdout("*  on");

    for (given, said) in [
        (&["speed"][..], "there are model, reasoning"),
        (&["speed", "9"], "it offers: model, reasoning"),
        (&["reasoning", "maybe"], "there are on, off"),
        (&["model", "hal"], other.0),
    ] {
        desk.run(&[&["chat", "option", "demo"], given].concat())
            .expect_code(3)
            .expect_stderr(said);
    }
    let (kind, message) = desk.call_refused::<chat::SetOption>(SetOptionParams {
        agent: agent_name("demo"),
        id: "reasoning".to_owned(),
        value: json!("on"),
    });
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(message.contains("it offers: true, false"), "{message}");
}
