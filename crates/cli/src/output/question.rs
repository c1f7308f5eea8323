//! Questions of agents (ACP: elicitation) and logins, as people read them and answer them.

use std::io;

use pupitre_protocol::AgentName;
use pupitre_protocol::agent::AuthMethod;
use pupitre_protocol::conversation::{Elicitation, Field, Login, OpenLogin, Wanted};

use super::neutral::one_line;
use super::table::{Cell, Table};
use super::{Output, style, time};
use crate::form;

impl Output {
    /// Writes every question with what it asks for.
    pub(crate) fn elicitations(&mut self, elicitations: &[Elicitation]) -> io::Result<()> {
        for elicitation in elicitations {
            let head = format!(
                "{}  {}",
                elicitation.id,
                time::day_and_minute(elicitation.created_at)
            );
            self.styled_line(style::HEADING, &head)?;
            self.line(&one_line(&asked_words(elicitation)))?;
            match &elicitation.wants {
                Wanted::Url { url } => self.line(&one_line(&format!("to visit {url}")))?,
                Wanted::Form { fields } => {
                    let mut table = Table::new(&["field", "takes", "title"]);
                    for field in fields {
                        let options: Vec<&str> = form::options(&field.input)
                            .iter()
                            .map(|option| option.value.as_str())
                            .collect();
                        let takes = if options.is_empty() {
                            form::takes(field)
                        } else {
                            format!("{}: {}", form::takes(field), options.join(", "))
                        };
                        let name = if field.required {
                            format!("{} *", field.name)
                        } else {
                            field.name.clone()
                        };
                        table.row(vec![Cell::new(&name), Cell::new(&takes), Cell::new(&field.title)]);
                    }
                    self.table(&table)?;
                }
            }
            self.line("")?;
        }
        Ok(())
    }

    /// Writes which agents wait for a login.
    pub(crate) fn logins(&mut self, logins: &[OpenLogin]) -> io::Result<()> {
        for OpenLogin { agent, login, .. } in logins {
            let text = format!("{agent} wants you to log in first: {}", login.message);
            self.styled_line(style::HEADING, &one_line(&text))?;
            self.auth_methods(agent, &login.methods)?;
            self.line("")?;
        }
        Ok(())
    }

    /// Writes the ways to log in.
    pub(crate) fn auth_methods(&mut self, agent: &AgentName, methods: &[AuthMethod]) -> io::Result<()> {
        let mut table = Table::new(&["method", "name", "description"]);
        for method in methods {
            table.row(vec![
                Cell::new(&method.id),
                Cell::new(&method.name),
                Cell::new(method.description.as_deref().unwrap_or_default()),
            ]);
        }
        self.table(&table)?;
        if methods.iter().any(|method| method.terminal) {
            let ids = methods.iter().filter(|method| method.terminal);
            let ids: Vec<&str> = ids.map(|method| method.id.as_str()).collect();
            let words = format!(
                "{} asks on a terminal: then `pupitre attach {agent}-login`, or Panes in the page",
                ids.join(", ")
            );
            self.note(&one_line(&words))?;
        }
        Ok(())
    }

    /// Says what a form is about, before its first field.
    pub(crate) fn introduce_form(&mut self, elicitation: &Elicitation, decline: &str) -> io::Result<()> {
        self.question(style::HEADING, &asked_words(elicitation))?;
        self.question(style::DIM, &format!("{decline} instead of a value says no"))
    }

    /// Asks for one field of a form.
    pub(crate) fn ask_field(&mut self, field: &Field) -> io::Result<()> {
        if let Some(description) = &field.description {
            self.question(style::DIM, description)?;
        }
        for (index, option) in form::options(&field.input).iter().enumerate() {
            self.question(style::PLAIN, &format!("{}) {}", index + 1, option.title))?;
        }
        self.prompt(&format!("{} ({}):", field.title, form::takes(field)))
    }

    /// Asks whether the person goes to an address.
    pub(crate) fn ask_visit(&mut self, elicitation: &Elicitation, url: &str) -> io::Result<()> {
        self.question(style::HEADING, &asked_words(elicitation))?;
        self.question(style::PLAIN, &format!("it wants you to visit {url}"))?;
        self.prompt("do you go there (yes or no):")
    }

    /// Asks how the person logs in; the answer is a number.
    pub(crate) fn ask_login(&mut self, agent: &AgentName, login: &Login) -> io::Result<()> {
        self.question(
            style::HEADING,
            &format!("{agent} wants you to log in first: {}", login.message),
        )?;
        for (index, method) in login.methods.iter().enumerate() {
            let name = match &method.description {
                Some(description) => format!("{}: {description}", method.name),
                None => method.name.clone(),
            };
            self.question(style::PLAIN, &format!("{}) {name}", index + 1))?;
        }
        self.question(style::PLAIN, "0) take the message back")?;
        self.prompt("your choice:")
    }
}

/// Returns what an agent asks, in its own words when it has some.
pub(crate) fn asked_words(elicitation: &Elicitation) -> String {
    let Elicitation { agent, message, .. } = elicitation;
    match &elicitation.wants {
        _ if !message.is_empty() => format!("{agent} asks: {message}"),
        Wanted::Form { .. } => format!("{agent} asks you to fill in a form"),
        Wanted::Url { .. } => format!("{agent} asks you to visit an address"),
    }
}
