//! Handshake, sessions, modes, options, and what a client does wrong.

use super::*;

#[test]
fn initialize_says_what_the_agent_is_and_can() {
    let result = Client::new(Duration::ZERO).initialize(json!({}));
    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(result["agentInfo"]["name"], "pupitre-demo-agent");
    assert_eq!(result["agentInfo"]["title"], "Demo agent");
    assert_eq!(result["agentInfo"]["version"], env!("CARGO_PKG_VERSION"));
    let capabilities = &result["agentCapabilities"];
    assert_eq!(capabilities["loadSession"], true);
    assert_eq!(capabilities["promptCapabilities"]["image"], true);
    assert_eq!(capabilities["promptCapabilities"]["embeddedContext"], true);
    assert_eq!(
        capabilities["sessionCapabilities"],
        json!({"list": {}, "resume": {}, "close": {}})
    );
}

#[test]
fn any_asked_version_is_answered_with_the_one_spoken() {
    for version in [0, 2, 99] {
        let mut client = Client::new(Duration::ZERO);
        let result = result_of(&client.request("initialize", json!({"protocolVersion": version})));
        assert_eq!(result["protocolVersion"], 1);
    }
}

#[test]
fn a_new_session_has_modes_options_and_commands() {
    let mut client = Client::with_session();
    let sent = client.request("session/new", json!({"cwd": "/music", "mcpServers": []}));
    assert_eq!(sent.len(), 2);
    let result = &sent[0]["result"];
    assert_ne!(result["sessionId"], client.session_id.as_str(), "sessions differ");
    assert_eq!(result["modes"]["currentModeId"], "ask");
    let ids = |value: &Value, field: &str| -> Vec<String> {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one[field].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&result["modes"]["availableModes"], "id"), ["ask", "auto"]);
    assert_eq!(ids(&result["configOptions"], "id"), ["model", "reasoning"]);
    assert_eq!(
        ids(&result["configOptions"][0]["options"], "value"),
        ["demo-small", "demo-large"]
    );
    assert_eq!(result["configOptions"][1]["currentValue"], false);
    let update = &sent[1]["params"]["update"];
    assert_eq!(update["sessionUpdate"], "available_commands_update");
    assert_eq!(
        ids(&update["availableCommands"], "name"),
        [
            "help", "markdown", "think", "plan", "read", "edit", "run", "image", "ask", "form", "visit",
            "login", "mode", "model", "title", "usage"
        ]
    );
    assert_eq!(update["availableCommands"][3]["input"]["hint"], "goal");
}

#[test]
fn a_client_without_booleans_gets_none() {
    let mut client = Client::new(Duration::ZERO);
    client.initialize(json!({}));
    let result = result_of(&client.request("session/new", json!({"cwd": "/music", "mcpServers": []})));
    assert_eq!(result["configOptions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_mode_is_set_confirmed_and_obeyed() {
    let mut client = Client::with_session();
    let params = json!({"sessionId": client.session_id, "modeId": "auto"});
    let sent = client.request("session/set_mode", params);
    assert_eq!(sent[0]["result"], json!({}));
    assert_eq!(sent[1]["params"]["update"]["currentModeId"], "auto");
    let turn = client.prompt("edit run ask");
    assert_eq!(turn.stop_reason(), "end_turn");
    assert!(turn.text().contains("In mode *auto* I do not ask."));

    let params = json!({"sessionId": client.session_id, "modeId": "wild"});
    assert_eq!(error_code_of(&client.request("session/set_mode", params)), -32602);
}

#[test]
fn options_are_set_and_have_an_effect() {
    let mut client = Client::with_session();
    let id = client.session_id.clone();
    let set = |config: &str, value: Value| json!({"sessionId": id, "configId": config, "value": value});
    let result = result_of(&client.request("session/set_config_option", set("model", json!("demo-large"))));
    assert_eq!(result["configOptions"][0]["currentValue"], "demo-large");
    assert_eq!(client.prompt("usage").updates("usage_update")[0]["size"], 200_000);

    let mut params = set("reasoning", json!(true));
    params["type"] = json!("boolean");
    let result = result_of(&client.request("session/set_config_option", params));
    assert_eq!(result["configOptions"][1]["currentValue"], true);
    assert_eq!(client.prompt("usage").kinds()[0], "agent_thought_chunk");

    for (config, value) in [
        ("model", json!("huge")),
        ("model", json!(true)),
        ("reasoning", json!("yes")),
        ("colour", json!(1)),
    ] {
        assert_eq!(
            error_code_of(&client.request("session/set_config_option", set(config, value))),
            -32602
        );
    }
}

#[test]
fn a_loaded_session_replays_its_past_before_the_answer() {
    let mut client = Client::with_session();
    let said = client.prompt("title The first").text();
    let params = json!({"sessionId": client.session_id, "cwd": "/music", "mcpServers": []});
    let sent = client.request("session/load", params.clone());
    let update = |message: &Value| message["params"]["update"].clone();
    assert_eq!(update(&sent[0])["sessionUpdate"], "user_message_chunk");
    assert_eq!(update(&sent[0])["content"]["text"], "title The first");
    assert_eq!(update(&sent[1])["sessionUpdate"], "agent_message_chunk");
    assert_eq!(update(&sent[1])["content"]["text"], said.as_str());
    assert_eq!(sent[2]["result"]["modes"]["currentModeId"], "ask");
    assert_eq!(update(&sent[3])["sessionUpdate"], "available_commands_update");

    let sent = client.request("session/resume", params);
    assert_eq!(
        sent[0]["result"]["modes"]["currentModeId"], "ask",
        "resuming replays nothing"
    );
}

#[test]
fn sessions_are_listed_by_folder() {
    let mut client = Client::with_session();
    client.prompt("hello there");
    client.request("session/new", json!({"cwd": "/elsewhere", "mcpServers": []}));
    let all = result_of(&client.request("session/list", json!({})));
    assert_eq!(all["sessions"].as_array().unwrap().len(), 2);
    let some = result_of(&client.request("session/list", json!({"cwd": "/music"})));
    assert_eq!(
        some["sessions"],
        json!([{"sessionId": client.session_id, "cwd": "/music", "title": "hello there"}])
    );
}

#[test]
fn a_closed_session_ends_its_turn_and_can_be_resumed() {
    let mut client = Client::with_session();
    client.prompt("wait");
    let id = json!({"sessionId": client.session_id});
    let sent = client.request("session/close", id.clone());
    assert_eq!(sent[0]["result"]["stopReason"], "cancelled");
    assert_eq!(sent[1]["result"], json!({}));
    assert_eq!(error_code_of(&client.prompt("hello").0), -32600);
    assert_eq!(error_code_of(&client.request("session/close", id)), -32600);

    let params = json!({"sessionId": client.session_id, "cwd": "/music", "mcpServers": []});
    client.request("session/resume", params);
    assert_eq!(client.prompt("hello").stop_reason(), "end_turn");
}

#[test]
fn two_sessions_answer_side_by_side_and_are_cancelled_apart() {
    let mut client = Client::with_session();
    client.prompt("wait");
    let first = client.session_id.clone();
    client.session_id = client.new_session();
    assert_eq!(client.prompt("hello").stop_reason(), "end_turn");
    client.prompt("wait");
    assert_eq!(client.cancel().stop_reason(), "cancelled");
    client.session_id = first;
    assert_eq!(client.cancel().stop_reason(), "cancelled");
}

#[test]
fn a_second_prompt_during_a_turn_is_refused_and_disturbs_nothing() {
    let mut client = Client::with_session();
    client.prompt("wait");
    assert_eq!(error_code_of(&client.prompt("hello").0), -32600);
    assert_eq!(client.cancel().stop_reason(), "cancelled");
}

#[test]
fn a_request_can_be_cancelled_by_its_id() {
    let mut client = Client::with_session();
    client.prompt("silent");
    let request_id = client.requests.len();
    let turn = Turn(client.notify("$/cancel_request", json!({"requestId": request_id})));
    assert_eq!(turn.stop_reason(), "cancelled");
}

#[test]
fn what_is_asked_wrongly_is_an_error() {
    let mut client = Client::with_session();
    let nobody = "demo-00000000-9";
    let in_session = json!({"sessionId": nobody, "cwd": "/music", "mcpServers": []});
    for (method, params, code) in [
        (
            "session/prompt",
            json!({"sessionId": nobody, "prompt": []}),
            -32002,
        ),
        ("session/prompt", json!({"sessionId": client.session_id}), -32602),
        ("session/load", in_session.clone(), -32002),
        ("session/resume", in_session, -32002),
        ("session/close", json!({"sessionId": nobody}), -32002),
        (
            "session/set_mode",
            json!({"sessionId": nobody, "modeId": "ask"}),
            -32002,
        ),
        ("session/new", json!({"cwd": "here", "mcpServers": []}), -32602),
        ("session/new", Value::Null, -32602),
        ("initialize", json!({}), -32602),
        ("session/fork", json!({}), -32601),
        ("nonsense", Value::Null, -32601),
    ] {
        assert_eq!(error_code_of(&client.request(method, params)), code, "{method}");
    }
}

#[test]
fn lines_that_are_no_requests_are_answered_or_ignored() {
    let mut client = Client::with_session();
    for (line, id, code) in [
        ("{", Value::Null, -32700),
        ("hello", Value::Null, -32700),
        ("42", Value::Null, -32600),
        ("[]", Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, json!("a"), -32600),
        (r#"{"jsonrpc":"2.0","id":9}"#, json!(9), -32600),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"initialize"}"#,
            Value::Null,
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"text","method":"nonsense"}"#,
            json!("text"),
            -32601,
        ),
    ] {
        let sent = client.send_line(line.as_bytes());
        assert_eq!(error_code_of(&sent), code, "{line}");
        assert_eq!(sent[0]["id"], id, "{line}");
    }
    assert_eq!(error_code_of(&client.send_line(b"\xff\xfe")), -32700);
    for line in [
        "",
        "  \r\n",
        r#"{"jsonrpc":"2.0","method":"nonsense"}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nobody"}}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}"#,
    ] {
        assert_eq!(client.send_line(line.as_bytes()), Vec::<Value>::new(), "{line}");
    }
    assert_eq!(client.prompt("hello").stop_reason(), "end_turn");
}
