//! The places that a rule can name, and how one is chosen for each: those that every memory has,
//! the tables and collections that there are, and any other by its name.

use crate::desk::Desk;
use maud::{Markup, html};
use model::{AgentName, Failure, Grant, Permission};

/// The places that every memory has, with what they are.
const WHOLE: &[(&str, &str)] = &[
    ("*", "everything else"),
    ("profile", "the profile"),
    ("vectors", "memories of every collection"),
    ("tables", "every table"),
    ("graph", "people, places and how they relate"),
    ("memory", "what waits for review"),
    ("handoffs", "handoffs"),
    ("references", "reference documents"),
];

/// How many tables, and how many collections, are listed; others are named.
const LISTED: usize = 100;

/// Somewhere that a rule can open or close.
pub(super) struct Place {
    /// Its name in a rule.
    pub name: String,
    /// What it is.
    pub says: String,
    /// The rule that there is.
    pub granted: Option<Permission>,
}

/// The places, each with the rule that one agent has for it.
pub(super) struct Places {
    /// Those that every memory has.
    pub whole: Vec<Place>,
    /// Single tables and collections, and whatever a rule names besides.
    pub single: Vec<Place>,
    /// How many tables and collections are not listed.
    pub left_out: usize,
}

impl Places {
    /// The places that there are for an agent.
    pub async fn of(desk: &Desk, agent: &AgentName) -> Result<Self, Failure> {
        let mut grants = desk.engine.admin().grants(&desk.caller).await?;
        grants.retain(|grant| grant.agent == *agent);
        let tables = desk.engine.tables().list(&desk.caller).await?;
        let collections = desk.engine.memories().collections(&desk.caller).await?;
        let left_out =
            tables.len().saturating_sub(LISTED) + collections.len().saturating_sub(LISTED);
        let tables = tables.iter().take(LISTED);
        let collections = collections.iter().take(LISTED);
        let mut single: Vec<Place> = tables
            .map(|table| (format!("tables/{}", table.name), format!("the table {}", table.name)))
            .chain(
                collections
                    .map(|(name, _)| (format!("vectors/{name}"), format!("memories in {name}"))),
            )
            .map(|(name, says)| Place { granted: granted(&grants, &name), name, says })
            .collect();
        let whole = WHOLE.iter().map(|(name, says)| Place {
            name: (*name).to_owned(),
            says: (*says).to_owned(),
            granted: granted(&grants, name),
        });
        let whole: Vec<Place> = whole.collect();
        grants
            .retain(|grant| !whole.iter().chain(&single).any(|place| place.name == grant.resource));
        single.extend(grants.into_iter().map(|Grant { resource, permission, .. }| Place {
            name: resource,
            says: "a place that is not there yet".to_owned(),
            granted: Some(permission),
        }));
        Ok(Self { whole, single, left_out })
    }
}

fn granted(grants: &[Grant], name: &str) -> Option<Permission> {
    grants.iter().find(|grant| grant.resource == name).map(|grant| grant.permission)
}

/// A row where the rule for a place is chosen, or none of its own. It is sent when it is changed.
pub(super) fn rule(place: &Place, none: &str, most: Permission) -> Markup {
    let chosen = place.granted.map(|granted| granted.min(most));
    html! {
        tr {
            th scope="row" { code dir="auto" { (place.name) } " " small dir="auto" { (place.says) } }
            td { select name=(place.name) data-nest aria-label={ "What it may do with " (place.name) } {
                option value="" selected[chosen.is_none()] { (none) }
                (offered(most, chosen))
            } }
        }
    }
}

/// How far it may go, up to some end.
pub(super) fn offered(most: Permission, chosen: Option<Permission>) -> Markup {
    let offered = Permission::ALL.into_iter().filter(|permission| *permission <= most);
    html! { @for permission in offered { option value=(permission.name()) selected[chosen == Some(permission)] { (permission.name()) } } }
}

/// Where a rule for a place that is not listed is added to those in the table body `#rules`.
pub(super) fn another(none: &str, most: Permission) -> Markup {
    let unnamed = Place { name: String::new(), says: "by its name".to_owned(), granted: None };
    html! {
        div.inline data-adds="#rules" {
            label { span { "Another" } select { option value="tables" { "table" } option value="vectors" { "collection" } } }
            label { span { "Its name" } input type="text" maxlength="200" autocomplete="off" dir="auto"; }
            button type="button" { "Add it" }
            template { (rule(&unnamed, none, most)) }
        }
    }
}
