//! What each method does: one function a method, one file a group.

mod agent;
mod attachment;
mod channel;
mod chat;
mod config;
mod fleet;
mod keeping;
mod surface;
mod system;
mod workspace;

use pupitre_protocol::method;

use super::Router;

/// Puts every method into the router.
pub(super) fn register(router: &mut Router) {
    router.row::<method::system::Ping, _>(system::ping);
    router.row::<method::system::Identify, _>(system::identify);
    router.row_of_caller::<method::system::Capabilities, _>(system::capabilities);
    router.row::<method::system::Counters, _>(system::counters);
    router.row::<method::system::Page, _>(system::page);
    router.row::<method::system::Shutdown, _>(system::shutdown);

    router.row::<method::agent::List, _>(agent::list);
    router.row::<method::agent::Start, _>(agent::start);
    router.row::<method::agent::Stop, _>(agent::stop);
    router.row::<method::agent::Restart, _>(agent::restart);
    router.row::<method::agent::Logs, _>(agent::logs);
    router.row::<method::agent::Trace, _>(agent::trace);
    router.row::<method::agent::Authenticate, _>(agent::authenticate);

    router.row::<method::config::Current, _>(config::current);
    router.row::<method::config::Content, _>(config::content);
    router.row::<method::config::Validate, _>(config::validate);
    router.row::<method::config::Save, _>(config::save);
    router.row::<method::config::Schema, _>(config::schema);
    router.row::<method::config::Open, _>(config::open);
    router.row::<method::config::Choose, _>(config::choose);
    router.row::<method::config::Recent, _>(config::recent);
    router.row::<method::config::Browse, _>(config::browse);
    router.row::<method::config::Known, _>(config::known);

    router.row::<method::channel::List, _>(channel::list);
    router.row::<method::channel::Send, _>(channel::send);
    router.row::<method::channel::Messages, _>(channel::messages);

    router.row::<method::fleet::List, _>(fleet::list);

    router.row::<method::surface::Create, _>(surface::create);
    router.row::<method::surface::List, _>(surface::list);
    router.row::<method::surface::Read, _>(surface::read);
    router.row::<method::surface::Search, _>(surface::search);
    router.row::<method::surface::Status, _>(surface::status);
    router.row::<method::surface::Wait, _>(surface::wait);
    router.row::<method::surface::Explain, _>(surface::explain);
    router.row::<method::surface::Seen, _>(surface::seen);
    router.row::<method::surface::Focus, _>(surface::focus);
    router.row::<method::surface::Rename, _>(surface::rename);
    router.row::<method::surface::Resize, _>(surface::resize);
    router.row::<method::surface::Close, _>(surface::close);
    router.row::<method::surface::Input, _>(surface::input);

    router.row::<method::workspace::List, _>(workspace::list);
    router.row::<method::workspace::Current, _>(workspace::current);
    router.row::<method::workspace::Create, _>(workspace::create);
    router.row::<method::workspace::Select, _>(workspace::select);
    router.row::<method::workspace::Rename, _>(workspace::rename);
    router.row::<method::workspace::Close, _>(workspace::close);
    router.row::<method::workspace::Split, _>(workspace::split);
    router.row::<method::workspace::SetLayout, _>(workspace::set_layout);

    router.row::<method::chat::Permissions, _>(chat::permissions);
    router.row::<method::chat::Send, _>(chat::send);
    router.row::<method::chat::Withdraw, _>(chat::withdraw);
    router.row::<method::chat::Cancel, _>(chat::cancel);
    router.row_of_caller::<method::chat::AnswerPermission, _>(chat::answer_permission);
    router.row_of_caller::<method::chat::AnswerElicitation, _>(chat::answer_elicitation);
    router.row_of_caller::<method::chat::Conversation, _>(chat::conversation);
    router.row_of_caller::<method::chat::Part, _>(chat::part);
    router.row::<method::chat::SetOption, _>(chat::set_option);
    router.row::<method::chat::SetMode, _>(chat::set_mode);
    router.row::<method::chat::New, _>(chat::new);
    router.row::<method::chat::History, _>(chat::history);
    router.row::<method::chat::Open, _>(chat::open);
    router.row::<method::chat::Search, _>(keeping::search);
    router.row::<method::chat::Delete, _>(keeping::delete);
    router.row_of_caller::<method::chat::Export, _>(keeping::export);
}
