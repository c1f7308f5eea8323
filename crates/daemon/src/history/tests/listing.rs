//! Lists of conversations, and earlier ones that are only read.

use super::*;

async fn titles(running: &Running, of: Option<AgentName>, config: &str) -> Vec<(Option<String>, bool)> {
    let reply = running.history.list(of, config.into()).await.unwrap();
    assert!(!reply.truncated);
    reply
        .conversations
        .into_iter()
        .map(|summary| (summary.title, summary.current))
        .collect()
}

fn named(title: &str, is_current: bool) -> (Option<String>, bool) {
    (Some(title.to_owned()), is_current)
}

#[tokio::test]
async fn conversations_are_listed_with_what_names_them() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    let mut first = conversation(&mut stamps);
    running.history.make_current(CONFIG.into(), Header::of(&first));
    exchange(&mut first, "  explain\n\nthis   please ", "why", &mut stamps);
    running.record(&mut first);
    let mut second = conversation(&mut stamps);
    exchange(&mut second, &"é".repeat(81), "yes", &mut stamps);
    running.history.make_current(CONFIG.into(), Header::of(&second));
    running.record(&mut second);
    let mut other = Conversation::new(agent("other"), "/".into(), &mut stamps);
    exchange(&mut other, "hello", "there", &mut stamps);
    other.update(Update::Title(Some("A title".into())), &mut stamps);
    running.history.make_current(CONFIG.into(), Header::of(&other));
    running.record(&mut other);
    let empty = conversation(&mut stamps);
    running
        .history
        .make_current("/another.toml".into(), Header::of(&empty));

    let cut = format!("{}…", "é".repeat(80));
    let all = titles(&running, None, CONFIG).await;
    assert_eq!(
        all,
        [
            named("A title", true),
            named(&cut, true),
            named("explain this please", false)
        ]
    );
    let of_demo = titles(&running, Some(agent("demo")), "/another.toml").await;
    assert_eq!(
        of_demo,
        [
            (None, true),
            named(&cut, false),
            named("explain this please", false)
        ]
    );
    assert_eq!(titles(&running, Some(agent("nobody")), CONFIG).await, []);

    // To become the current one changes nothing in a conversation; a new message does.
    running.history.make_current(CONFIG.into(), Header::of(&first));
    let of_demo = titles(&running, Some(agent("demo")), CONFIG).await;
    assert_eq!(of_demo, [named(&cut, false), named("explain this please", true)]);
    let TakenUp { stored, .. } = running
        .history
        .current(CONFIG.into(), agent("demo"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.id, first.id());
    assert_eq!(
        running.history.current("/no.toml".into(), agent("demo")).await,
        Ok(None)
    );
    running.stop();
}

#[tokio::test]
async fn the_conversation_that_changed_last_is_first() {
    let running = Running::start(Place::Memory);
    let mut stamps = Counter(0);
    let mut conversations: Vec<_> = (0..3).map(|_| conversation(&mut stamps)).collect();
    for (at_ms, place) in [(10, 0), (20, 1), (30, 2), (40, 1)] {
        let conversation = &mut conversations[place];
        exchange(conversation, &place.to_string(), "yes", &mut stamps);
        let revisions = conversation.take_revisions();
        running
            .history
            .write(Write::record(Header::of(conversation), revisions, at_ms));
    }
    let reply = running.history.list(None, CONFIG.into()).await.unwrap();
    let listed: Vec<_> = reply
        .conversations
        .iter()
        .map(|summary| {
            (
                summary.title.as_deref().unwrap(),
                summary.updated_at,
                summary.messages,
            )
        })
        .collect();
    assert_eq!(listed, [("1", 40, 4), ("2", 30, 2), ("0", 10, 2)]);
    running.stop();
}

#[tokio::test]
async fn a_list_that_would_be_too_long_says_so() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    for _ in 0..1_200 {
        let mut conversation = conversation(&mut stamps);
        exchange(&mut conversation, "hello", "there", &mut stamps);
        conversation.update(Update::Title(Some("t".repeat(2_000))), &mut stamps);
        running.record(&mut conversation);
    }
    let reply = running.history.list(None, CONFIG.into()).await.unwrap();
    assert!(reply.truncated);
    assert!(reply.conversations.len() > 800);
    assert!(serde_json::to_string(&reply).unwrap().len() < pupitre_protocol::limits::REPLY_BYTES);
    running.stop();
}

#[tokio::test]
async fn an_earlier_conversation_is_shown_to_be_read() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    for n in 0..5 {
        exchange(&mut conversation, &n.to_string(), "yes", &mut stamps);
    }
    conversation.update(
        Update::Usage(Usage {
            used: 5,
            size: 10,
            cost: None,
        }),
        &mut stamps,
    );
    running.record(&mut conversation);
    let all = held(&conversation);
    let view = running
        .history
        .view(conversation.id(), Some(all[6].id), 4)
        .await
        .unwrap()
        .unwrap();
    let mut expected = conversation.view(Page {
        messages: all[2..6].to_vec(),
        truncated: false,
    });
    expected.read_only = true;
    assert_eq!(view, expected);
    assert_eq!(
        running
            .history
            .view(ConversationId(stamps.new_id()), None, 4)
            .await,
        Ok(None)
    );
    running.stop();
}

#[tokio::test]
async fn a_page_never_outgrows_a_reply() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    for n in 0..10 {
        exchange(
            &mut conversation,
            &n.to_string(),
            &"w".repeat(700_000),
            &mut stamps,
        );
        running.record(&mut conversation);
    }
    let page = running.history.page(conversation.id(), None, 20).await.unwrap();
    assert!(page.truncated);
    let all = held(&conversation);
    assert_eq!(page.messages, all[all.len() - page.messages.len()..]);
    assert!(page.messages.len() >= 4);
    assert!(serde_json::to_string(&page.messages).unwrap().len() < pupitre_protocol::limits::REPLY_BYTES);
    let stored = running
        .history
        .load(conversation.id())
        .await
        .unwrap()
        .unwrap()
        .stored;
    assert!((8..=14).contains(&stored.newest.len()), "{}", stored.newest.len());
    running.stop();
}
