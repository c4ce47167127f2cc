//! Resources that a grant can name, and the form rows that choose a permission for each: the
//! resources that every memory has, the existing tables and collections, and any other by name.

use crate::desk::Desk;
use maud::{Markup, html};
use model::{AgentName, Failure, Grant, Permission};

/// Resources that every memory has, with their labels.
const WHOLE: &[(&str, &str)] = &[
    ("*", "everything else"),
    ("profile", "the profile"),
    ("vectors", "memories of every collection"),
    ("tables", "every table"),
    ("graph", "entities and their relations"),
    ("memory", "the review queue"),
    ("handoffs", "handoffs"),
    ("references", "reference documents"),
];

/// Maximum number of tables, and of collections, listed; others are added by name.
const LISTED: usize = 100;

/// Resource that a rule can name.
pub(super) struct Place {
    /// Name in a rule.
    pub name: String,
    pub says: String,
    /// Existing permission.
    pub granted: Option<Permission>,
}

/// Resources, each with the permission that one agent has.
pub(super) struct Places {
    /// Resources that every memory has.
    pub whole: Vec<Place>,
    /// Individual tables and collections, and anything else that a rule names.
    pub single: Vec<Place>,
    /// Number of tables and collections that are not listed.
    pub left_out: usize,
}

impl Places {
    /// Returns the resources with the rules of an agent.
    pub async fn of(context: &Desk, agent: &AgentName) -> Result<Self, Failure> {
        let mut grants = context.engine.admin().grants(&context.caller).await?;
        grants.retain(|grant| grant.agent == *agent);
        let tables = context.engine.tables().list(&context.caller).await?;
        let collections = context.engine.memories().collections(&context.caller).await?;
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
            .map(|(name, label)| Place { granted: granted(&grants, &name), name, says: label })
            .collect();
        let global = WHOLE.iter().map(|(name, label)| Place {
            name: (*name).to_owned(),
            says: (*label).to_owned(),
            granted: granted(&grants, name),
        });
        let global: Vec<Place> = global.collect();
        grants.retain(|grant| {
            !global.iter().chain(&single).any(|resource| resource.name == grant.resource)
        });
        single.extend(grants.into_iter().map(|Grant { resource, permission, .. }| Place {
            name: resource,
            says: "does not exist yet".to_owned(),
            granted: Some(permission),
        }));
        Ok(Self { whole: global, single, left_out })
    }
}

fn granted(grants: &[Grant], name: &str) -> Option<Permission> {
    grants.iter().find(|grant| grant.resource == name).map(|grant| grant.permission)
}

/// Renders the row that chooses the rule for a resource, or none. It is sent when it is changed.
pub(super) fn rule(resource: &Place, none: &str, most: Permission) -> Markup {
    let chosen = resource.granted.map(|granted| granted.min(most));
    html! {
        tr {
            th scope="row" {
                code dir="auto" { (resource.name) } " " small dir="auto" { (resource.says) }
            }
            td {
                select name=(resource.name) data-nest
                    aria-label={ "What it may do with " (resource.name) } {
                    // Empty means no rule of its own, so a more general rule applies.
                    option value="" selected[chosen.is_none()] { (none) }
                    (offered(most, chosen))
                }
            }
        }
    }
}

/// Renders the permissions up to a maximum as options.
pub(super) fn offered(most: Permission, chosen: Option<Permission>) -> Markup {
    let offered = Permission::ALL.into_iter().filter(|permission| *permission <= most);
    html! {
        @for permission in offered {
            option value=(permission.name()) selected[chosen == Some(permission)] {
                (permission.name())
            }
        }
    }
}

/// Renders the form that adds a rule for an unlisted resource to the table body `#rules`.
pub(super) fn another(none: &str, most: Permission) -> Markup {
    let unnamed = Place { name: String::new(), says: "by name".to_owned(), granted: None };
    html! {
        div.inline data-adds="#rules" {
            label {
                span { "Another" }
                select { option value="tables" { "table" } option value="vectors" { "collection" } }
            }
            label {
                span { "Its name" } input type="text" maxlength="200" autocomplete="off" dir="auto";
            }
            button type="button" { "Add" }
            template { (rule(&unnamed, none, most)) }
        }
    }
}
