//! Consent rules of one agent: the permission it has on a resource. The most specific rule wins,
//! matched at `/`; an explicit none below a wildcard denies; without a matching rule nothing is
//! permitted.

use crate::{Resource, resource_from_words, resource_in_words};
use model::{ErrorCode, Failure, Grant, NameFilter, Permission, Record, limits};

/// Areas that contain named resources.
const AREAS_WITH_NAMES: [&str; 2] = ["tables", "vectors"];
/// Areas that are granted as a whole.
const WHOLE_AREAS: [&str; 7] =
    ["profile", "graph", "memory", "handoffs", "references", "workspaces", Resource::ERASE];

/// Consent rules of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrantRules(Vec<(String, Permission)>);

impl GrantRules {
    /// Builds the rules from grants, which must all belong to one agent.
    #[must_use]
    pub fn from_grants<'g>(grants: impl IntoIterator<Item = &'g Grant>) -> Self {
        Self(grants.into_iter().map(|grant| (grant.resource.clone(), grant.permission)).collect())
    }

    /// Returns the permission of the agent on a resource.
    #[must_use]
    pub fn permission(&self, resource: &Resource) -> Permission {
        // Granted by its own name only: whoever granted everything did not mean deletions.
        if *resource == Resource::Erase {
            return self.first_rule(&[Resource::ERASE]);
        }
        let resource = resource.to_string();
        let (area, name) =
            resource.split_once('/').map_or((resource.as_str(), None), |(p, n)| (p, Some(n)));
        match name {
            Some(name) => {
                self.rule_for_name(area, name).unwrap_or_else(|| self.rule_for_unnamed(area))
            }
            None => self.first_rule(&[area, &format!("{area}/*"), "*"]),
        }
    }

    /// Returns the names in an area on which the agent has at least this permission.
    #[must_use]
    pub fn allowed(&self, area: &str, least: Permission) -> NameFilter {
        let below = |rule: &str| rule.strip_prefix(area)?.strip_prefix('/').map(str::to_owned);
        let named = self
            .0
            .iter()
            .filter_map(|(rule, permission)| Some((below(rule)?, *permission >= least)));
        NameFilter::new(self.rule_for_unnamed(area) >= least, named.filter(|(name, _)| name != "*"))
    }

    /// Returns the permission of the longest rule for this name or a parent of it.
    fn rule_for_name(&self, area: &str, name: &str) -> Option<Permission> {
        let named = |rule: &str| {
            let above = rule.strip_prefix(area)?.strip_prefix('/')?;
            let rest = name.strip_prefix(above)?;
            (above != "*" && (rest.is_empty() || rest.starts_with('/'))).then_some(above.len())
        };
        let matching =
            self.0.iter().filter_map(|(rule, permission)| Some((named(rule)?, *permission)));
        matching.max_by_key(|(length, _)| *length).map(|(_, permission)| permission)
    }

    /// Returns the permission on names in an area that have no rule of their own.
    fn rule_for_unnamed(&self, area: &str) -> Permission {
        // A rule for the area itself also applies to the names in it, after `area/*`.
        self.first_rule(&[&format!("{area}/*"), area, "*"])
    }

    fn first_rule(&self, wanted: &[&str]) -> Permission {
        let find = |wanted: &&str| self.0.iter().find(|(rule, _)| rule == wanted);
        wanted.iter().find_map(find).map_or(Permission::None, |(_, permission)| *permission)
    }
}

/// Checks that a permission has a meaning for a resource in its canonical form.
///
/// # Errors
/// `invalid_argument` for `read` on `erase`.
pub fn check_permission(resource: &str, permission: Permission) -> Result<(), Failure> {
    if resource == Resource::ERASE && permission == Permission::Read {
        return Err(Failure::invalid(
            "erase is granted with write or denied with none; there is nothing in it to read",
        ));
    }
    Ok(())
}

/// Parses a resource as a person writes it in a grant, and returns the canonical form that is
/// stored.
///
/// # Errors
/// `invalid_argument`, listing the valid resources.
pub fn normalize_resource(written: &str) -> Result<String, Failure> {
    let written = written.trim();
    let stored = resource_from_words(written);
    let (area, name) =
        stored.split_once('/').map_or((stored.as_str(), None), |(area, name)| (area, Some(name)));
    match (area, name) {
        ("*", None) => Ok("*".to_owned()),
        (area, None) if WHOLE_AREAS.contains(&area) || AREAS_WITH_NAMES.contains(&area) => {
            Ok(area.to_owned())
        }
        (area, Some("*")) if WHOLE_AREAS.contains(&area) => Ok(area.to_owned()),
        (area, Some("*")) if AREAS_WITH_NAMES.contains(&area) => Ok(format!("{area}/*")),
        ("tables", Some(name)) if !name.contains('*') => {
            Ok(format!("tables/{}", Record::normalize_table_name(name)?))
        }
        ("vectors", Some(name)) if is_collection(name) => {
            limits::chars("resource", name, limits::NAME_CHARS)?;
            Ok(format!("vectors/{name}"))
        }
        _ => Err(unknown_resource(written)),
    }
}

fn is_collection(name: &str) -> bool {
    !name.trim().is_empty() && !name.contains('*') && name == name.trim()
}

fn unknown_resource(written: &str) -> Failure {
    let areas = AREAS_WITH_NAMES.iter().chain(&WHOLE_AREAS).map(|area| resource_in_words(area));
    let message = format!(
        "`{}` cannot be granted; use everything, {}, tables/NAME or memories/COLLECTION",
        written.chars().take(80).collect::<String>(),
        areas.collect::<Vec<_>>().join(", "),
    );
    Failure::new(ErrorCode::InvalidArgument, message)
}
