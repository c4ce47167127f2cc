//! Consent rules of one agent: the permission it has on a resource. The most specific rule wins,
//! matched at `/`; an explicit none below a wildcard denies; without a matching rule nothing is
//! permitted.

use crate::Resource;
use model::{Allowed, ErrorCode, Failure, Grant, Permission, Record, limits};

/// Areas that contain named resources.
const WITH_NAMES: [&str; 2] = ["tables", "vectors"];
/// Areas that are granted as a whole.
const WHOLE: [&str; 5] = ["profile", "graph", "memory", "handoffs", "references"];

/// Consent rules of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules(Vec<(String, Permission)>);

impl Rules {
    /// Builds the rules from grants, which must all belong to one agent.
    #[must_use]
    pub fn of<'g>(grants: impl IntoIterator<Item = &'g Grant>) -> Self {
        Self(grants.into_iter().map(|grant| (grant.resource.clone(), grant.permission)).collect())
    }

    /// Returns the permission of the agent on a resource.
    #[must_use]
    pub fn permission(&self, resource: &Resource) -> Permission {
        let resource = resource.to_string();
        let (area, name) =
            resource.split_once('/').map_or((resource.as_str(), None), |(p, n)| (p, Some(n)));
        match name {
            Some(name) => self.named(area, name).unwrap_or_else(|| self.below(area)),
            None => self.first(&[area, &format!("{area}/*"), "*"]),
        }
    }

    /// Returns the names in an area on which the agent has at least this permission.
    #[must_use]
    pub fn allowed(&self, area: &str, least: Permission) -> Allowed {
        let below = |rule: &str| rule.strip_prefix(area)?.strip_prefix('/').map(str::to_owned);
        let named = self
            .0
            .iter()
            .filter_map(|(rule, permission)| Some((below(rule)?, *permission >= least)));
        Allowed::new(self.below(area) >= least, named.filter(|(name, _)| name != "*"))
    }

    /// Returns the permission of the longest rule for this name or a parent of it.
    fn named(&self, area: &str, name: &str) -> Option<Permission> {
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
    fn below(&self, area: &str) -> Permission {
        // A rule for the area itself also applies to the names in it, after `area/*`.
        self.first(&[&format!("{area}/*"), area, "*"])
    }

    fn first(&self, wanted: &[&str]) -> Permission {
        let find = |wanted: &&str| self.0.iter().find(|(rule, _)| rule == wanted);
        wanted.iter().find_map(find).map_or(Permission::None, |(_, permission)| *permission)
    }
}

/// Parses a resource as a person writes it in a grant, and returns the canonical form that is
/// stored.
///
/// # Errors
/// `invalid_argument`, listing the valid resources.
pub fn granted_resource(written: &str) -> Result<String, Failure> {
    let written = written.trim();
    let (area, name) =
        written.split_once('/').map_or((written, None), |(area, name)| (area, Some(name)));
    match (area, name) {
        ("*", None) => Ok("*".to_owned()),
        (area, None) if WHOLE.contains(&area) || WITH_NAMES.contains(&area) => Ok(area.to_owned()),
        (area, Some("*")) if WHOLE.contains(&area) => Ok(area.to_owned()),
        (area, Some("*")) if WITH_NAMES.contains(&area) => Ok(format!("{area}/*")),
        ("tables", Some(name)) if !name.contains('*') => {
            Ok(format!("tables/{}", Record::table_name(name)?))
        }
        ("vectors", Some(name)) if is_collection(name) => {
            limits::chars("resource", name, limits::NAME_CHARS)?;
            Ok(format!("vectors/{name}"))
        }
        _ => Err(unknown(written)),
    }
}

fn is_collection(name: &str) -> bool {
    !name.trim().is_empty() && !name.contains('*') && name == name.trim()
}

fn unknown(written: &str) -> Failure {
    let message = format!(
        "`{}` cannot be granted; use *, {}, {}, tables/NAME, vectors/COLLECTION, tables/* \
         or vectors/*",
        written.chars().take(80).collect::<String>(),
        WITH_NAMES.join(", "),
        WHOLE.join(", ")
    );
    Failure::new(ErrorCode::InvalidArgument, message)
}
