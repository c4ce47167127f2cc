//! Resources that a grant can name, and the form rows that choose a permission for each: the
//! resources that every memory has, the existing tables and collections, and any other by name.

use crate::request_context::RequestContext;
use maud::{Markup, html};
use model::{AgentName, Failure, Grant, Permission};

/// Resources that every memory has, with their labels.
const GLOBAL_RESOURCES: &[(&str, &str)] = &[
    ("*", "everything else"),
    ("profile", "the profile"),
    ("vectors", "memories of every collection"),
    ("tables", "every table"),
    ("graph", "entities and their relations"),
    ("memory", "review items"),
    ("handoffs", "handoffs"),
    ("references", "reference documents"),
    ("workspaces", "workspaces and the files in them"),
    (ERASE, "deleting what you or other agents wrote, without asking you"),
];

/// Resource whose grant lifts the owner's consent to deletions. It is given on the page of an agent
/// only, and no other rule includes it.
pub(super) const ERASE: &str = "erase";

/// Maximum number of tables, and of collections, listed; others are added by name.
const LISTED_MAX: usize = 100;

/// Resource that a rule can name.
pub(super) struct RuleResource {
    /// Name in a rule.
    pub name: String,
    pub label: String,
    /// Existing permission.
    pub granted: Option<Permission>,
    pub exists: bool,
}

/// Resources, each with the permission that one agent has.
pub(super) struct RuleResources {
    /// Resources that every memory has.
    pub global: Vec<RuleResource>,
    /// Individual tables and collections, and anything else that a rule names.
    pub individual: Vec<RuleResource>,
    /// Number of tables and collections that are not listed.
    pub left_out: usize,
}

impl RuleResources {
    /// Returns the resources with the rules of an agent.
    pub async fn for_agent(context: &RequestContext, agent: &AgentName) -> Result<Self, Failure> {
        let mut grants = context.engine.admin().grants(&context.caller).await?;
        grants.retain(|grant| grant.agent == *agent);
        let tables = context.engine.tables().list(&context.caller).await?;
        let collections = context.engine.memories().collections(&context.caller).await?;
        let left_out =
            tables.len().saturating_sub(LISTED_MAX) + collections.len().saturating_sub(LISTED_MAX);
        let tables = tables.iter().take(LISTED_MAX);
        let collections = collections.iter().take(LISTED_MAX);
        let mut individual: Vec<RuleResource> = tables
            .map(|table| (format!("tables/{}", table.name), format!("the table {}", table.name)))
            .chain(
                collections
                    .map(|(name, _)| (format!("vectors/{name}"), format!("the collection {name}"))),
            )
            .map(|(name, label)| RuleResource {
                granted: granted_permission(&grants, &name),
                name,
                label,
                exists: true,
            })
            .collect();
        let global = GLOBAL_RESOURCES.iter().map(|(name, label)| RuleResource {
            name: (*name).to_owned(),
            label: (*label).to_owned(),
            granted: granted_permission(&grants, name),
            exists: true,
        });
        let global: Vec<RuleResource> = global.collect();
        grants.retain(|grant| {
            !global.iter().chain(&individual).any(|resource| resource.name == grant.resource)
        });
        individual.extend(grants.into_iter().map(|Grant { resource, permission, .. }| {
            RuleResource {
                label: super::words::resource(&resource)
                    .replace("table ", "the table ")
                    .replace("collection ", "the collection "),
                name: resource,
                granted: Some(permission),
                exists: false,
            }
        }));
        Ok(Self { global, individual, left_out })
    }
}

fn granted_permission(grants: &[Grant], name: &str) -> Option<Permission> {
    grants.iter().find(|grant| grant.resource == name).map(|grant| grant.permission)
}

/// Renders the row that chooses the rule for a resource, or none. It is sent when it is changed.
pub(super) fn rule_row(resource: &RuleResource, none: &str, most: Permission) -> Markup {
    let chosen = resource.granted.map(|granted| granted.min(most));
    html! {
        tr {
            th scope="row" {
                span dir="auto" title=(resource.name) { (resource.label) }
                @if !resource.exists { " " small { "does not exist yet" } }
            }
            td {
                select name=(resource.name) data-nest
                    aria-label={ "What it may do with " (resource.label) } {
                    // Empty means no rule of its own, so a more general rule applies.
                    option value="" selected[chosen.is_none()] { (none) }
                    @if resource.name == ERASE { (erase_options(chosen)) }
                    @else { (permission_options(most, chosen)) }
                }
            }
        }
    }
}

/// Renders the permissions on deletions, in which there is nothing to read.
fn erase_options(chosen: Option<Permission>) -> Markup {
    html! {
        @for (permission, word) in [(Permission::None, "none"), (Permission::Write, "allow")] {
            option value=(permission.name()) selected[chosen == Some(permission)] { (word) }
        }
    }
}

/// Renders the permissions up to a maximum as options.
pub(super) fn permission_options(most: Permission, chosen: Option<Permission>) -> Markup {
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
pub(super) fn add_rule_form(none: &str, most: Permission) -> Markup {
    let unnamed = RuleResource {
        name: String::new(),
        label: "by name".to_owned(),
        granted: None,
        exists: true,
    };
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
            template { (rule_row(&unnamed, none, most)) }
        }
    }
}
