//! The consent rules of one agent: which permission it has on a resource. The most specific rule
//! wins, cut at `/`; an explicit none below a wildcard denies; where no rule speaks, nothing is
//! permitted.

use crate::Resource;
use model::{Allowed, ErrorCode, Failure, Grant, Permission, Record, limits};

/// The places that have named places below them.
const WITH_NAMES: [&str; 2] = ["tables", "vectors"];
/// The places that are granted as a whole.
const WHOLE: [&str; 5] = ["profile", "graph", "memory", "handoffs", "references"];

/// The rules of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules(Vec<(String, Permission)>);

impl Rules {
    /// The rules among these grants, which are all of one agent.
    #[must_use]
    pub fn of<'g>(grants: impl IntoIterator<Item = &'g Grant>) -> Self {
        Self(grants.into_iter().map(|grant| (grant.resource.clone(), grant.permission)).collect())
    }

    /// What the agent may do with a resource.
    #[must_use]
    pub fn permission(&self, resource: &Resource) -> Permission {
        let resource = resource.to_string();
        let (place, name) =
            resource.split_once('/').map_or((resource.as_str(), None), |(p, n)| (p, Some(n)));
        match name {
            Some(name) => self.named(place, name).unwrap_or_else(|| self.below(place)),
            None => self.first(&[place, &format!("{place}/*"), "*"]),
        }
    }

    /// The names below a place on which the agent has at least this permission.
    #[must_use]
    pub fn allowed(&self, place: &str, least: Permission) -> Allowed {
        let below = |rule: &str| rule.strip_prefix(place)?.strip_prefix('/').map(str::to_owned);
        let named = self
            .0
            .iter()
            .filter_map(|(rule, permission)| Some((below(rule)?, *permission >= least)));
        Allowed::new(self.below(place) >= least, named.filter(|(name, _)| name != "*"))
    }

    /// The longest rule that names this or something above it.
    fn named(&self, place: &str, name: &str) -> Option<Permission> {
        let named = |rule: &str| {
            let above = rule.strip_prefix(place)?.strip_prefix('/')?;
            let rest = name.strip_prefix(above)?;
            (above != "*" && (rest.is_empty() || rest.starts_with('/'))).then_some(above.len())
        };
        let matching =
            self.0.iter().filter_map(|(rule, permission)| Some((named(rule)?, *permission)));
        matching.max_by_key(|(length, _)| *length).map(|(_, permission)| permission)
    }

    /// What holds for names below a place that no rule names.
    fn below(&self, place: &str) -> Permission {
        self.first(&[&format!("{place}/*"), place, "*"])
    }

    fn first(&self, wanted: &[&str]) -> Permission {
        let find = |wanted: &&str| self.0.iter().find(|(rule, _)| rule == wanted);
        wanted.iter().find_map(find).map_or(Permission::None, |(_, permission)| *permission)
    }
}

/// A resource as a person writes it in a grant, in the one form that rules are kept in.
///
/// # Errors
/// `invalid_argument`, naming the resources there are.
pub fn granted_resource(written: &str) -> Result<String, Failure> {
    let written = written.trim();
    let (place, name) =
        written.split_once('/').map_or((written, None), |(place, name)| (place, Some(name)));
    match (place, name) {
        ("*", None) => Ok("*".to_owned()),
        (place, None) if WHOLE.contains(&place) || WITH_NAMES.contains(&place) => {
            Ok(place.to_owned())
        }
        (place, Some("*")) if WHOLE.contains(&place) => Ok(place.to_owned()),
        (place, Some("*")) if WITH_NAMES.contains(&place) => Ok(format!("{place}/*")),
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
        "`{}` cannot be granted; use *, {}, {}, tables/NAME, vectors/COLLECTION, or tables/* and vectors/*",
        written.chars().take(80).collect::<String>(),
        WITH_NAMES.join(", "),
        WHOLE.join(", ")
    );
    Failure::new(ErrorCode::InvalidArgument, message)
}
