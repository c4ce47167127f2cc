//! Meaning of grants, by example and for every combination of a few names.

use super::*;
use crate::{check_permission, normalize_resource};
use model::{Grant, Moment};

fn rules(written: &[(&str, Permission)]) -> GrantRules {
    let grants: Vec<Grant> = written
        .iter()
        .map(|(resource, permission)| Grant {
            agent: AgentName::new("codex"),
            resource: normalize_resource(resource).unwrap(),
            permission: *permission,
            granted_at: Moment(0),
        })
        .collect();
    GrantRules::from_grants(&grants)
}

fn policy(written: &[(&str, Permission)]) -> Policy {
    Policy::for_granted(AgentName::new("codex"), Permission::Write, rules(written))
}

fn table(name: &str) -> Resource {
    Resource::Tables(Some(name.to_owned()))
}

fn collection(name: &str) -> Resource {
    Resource::Memories(Some(name.to_owned()))
}

use Permission::{None, Read, Write};

#[test]
fn administration_is_reserved_to_the_owner() {
    for agent in [policy(&[("*", Write)]), Policy::for_trusted(AgentName::new("codex"))] {
        let refusal = agent.admit(Resource::Administration, Write).unwrap_err();
        assert_eq!(Failure::from(refusal).code, ErrorCode::ConsentRequired);
    }
    assert!(Policy::for_owner(AgentName::new("me")).admit(Resource::Administration, Write).is_ok());
}

#[test]
fn only_a_grant_of_its_own_name_lifts_the_owners_consent_to_erase() {
    assert!(Policy::for_owner(AgentName::new("me")).allows(Resource::Erase, Write));
    assert!(policy(&[("erase", Write)]).allows(Resource::Erase, Write));
    for agent in [
        policy(&[("*", Write), ("memory", Write), ("vectors", Write)]),
        policy(&[("erase", None)]),
        Policy::for_trusted(AgentName::new("codex")),
    ] {
        assert!(!agent.allows(Resource::Erase, Write));
    }
    assert!(!policy(&[("erase", Write)]).allows(Resource::Graph, Read), "it opens nothing else");
    assert!(check_permission("erase", Read).unwrap_err().message.contains("write"));
    assert!(check_permission("erase", Write).is_ok() && check_permission("graph", Read).is_ok());
}

#[test]
fn a_grant_matches_whole_segments() {
    let policy = policy(&[("tables/meal", Write), ("vectors/work", Read)]);
    assert!(policy.allows(table("meal"), Write));
    for near in ["meals", "mea", "meal_plans", "me"] {
        assert!(!policy.allows(table(near), Read), "{near}");
    }
    assert!(policy.allows(collection("work"), Read));
    assert!(policy.allows(collection("work/notes"), Read), "below a granted collection");
    assert!(!policy.allows(collection("workshop"), Read));
}

#[test]
fn the_most_specific_rule_wins_and_none_below_a_wildcard_denies() {
    let policy =
        policy(&[("*", Read), ("tables/*", Write), ("tables/medical", None), ("vectors", None)]);
    assert!(policy.allows(table("meals"), Write));
    assert!(!policy.allows(table("medical"), Read));
    assert!(policy.allows(Resource::Profile, Read) && !policy.allows(Resource::Profile, Write));
    assert!(!policy.allows(collection("memories"), Read));
    let sources = policy.sources(Read);
    assert!(sources.profile && sources.tables.allows("meals") && !sources.tables.allows("medical"));
    assert!(!sources.collections.any());
}

#[test]
fn without_a_rule_nothing_is_permitted() {
    let policy = policy(&[]);
    for resource in [
        Resource::Memories(Option::None),
        Resource::Profile,
        Resource::Tables(Option::None),
        Resource::Graph,
        Resource::Review,
        Resource::Handoffs,
        Resource::References,
    ] {
        let refusal = Failure::from(policy.admit(resource.clone(), Read).unwrap_err());
        assert_eq!(refusal.code, ErrorCode::ConsentRequired);
        let words = crate::resource_in_words(&resource.to_string());
        assert!(
            refusal.message.contains(&format!("quipu grants set codex {words} read")),
            "{refusal}"
        );
        let granted = crate::normalize_resource(&words).unwrap();
        assert_eq!(granted, resource.to_string(), "the command grants what was refused");
    }
}

#[test]
fn access_to_a_part_opens_a_resource_but_not_as_a_whole() {
    let policy = policy(&[("tables/meals", Read)]);
    assert!(policy.admit(Resource::Tables(Option::None), Read).is_ok());
    assert!(policy.admit(Resource::Memories(Option::None), Read).is_ok(), "rows are memories too");
    assert!(policy.admit_whole(Resource::Tables(Option::None), Read).is_err());
    assert!(policy.admit(Resource::Tables(Option::None), Write).is_err());
}

#[test]
fn a_credential_never_exceeds_its_scope() {
    let reader = Policy::for_granted(AgentName::new("codex"), Read, rules(&[("*", Write)]));
    assert!(reader.allows(collection("memories"), Read));
    let refusal = reader.admit(collection("memories"), Write).unwrap_err();
    assert_eq!(Failure::from(refusal).code, ErrorCode::Forbidden);
    assert!(!reader.sources(Write).any());
}

#[test]
fn only_known_resources_can_be_granted() {
    for (written, stored) in [
        ("*", "*"),
        (" tables/To-Do ", "tables/to_do"),
        ("tables/*", "tables/*"),
        ("graph/*", "graph"),
        ("vectors/a/b", "vectors/a/b"),
    ] {
        assert_eq!(normalize_resource(written).unwrap(), stored);
    }
    for wrong in [
        "",
        "administration",
        "tables/",
        "tables/a*",
        "vectors/",
        "vectors/a*",
        "profile/name",
        "**",
    ] {
        let refusal = normalize_resource(wrong).unwrap_err();
        assert!(
            refusal.message.contains("profile") || refusal.message.contains("empty"),
            "{wrong}: {refusal}"
        );
    }
}

#[test]
fn an_agent_with_a_strange_name_is_quoted_for_the_shell() {
    let agent = AgentName::new("my agent's");
    let policy = Policy::for_granted(agent, Write, GrantRules::default());
    let refusal = Failure::from(policy.admit(Resource::Graph, Read).unwrap_err());
    assert!(refusal.message.contains(r"'my agent'\''s'"), "{refusal}");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn name() -> impl Strategy<Value = String> {
        "[ab]{1,3}(/[ab]{1,2})?"
    }

    fn written() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("*".to_owned()),
            Just("tables".to_owned()),
            Just("tables/*".to_owned()),
            Just("vectors".to_owned()),
            Just("vectors/*".to_owned()),
            name().prop_map(|name| format!("vectors/{name}")),
        ]
    }

    /// Naive reference implementation: of all rules that cover the name, the longest one decides.
    fn naive_permission(rules: &[(String, Permission)], name: &str) -> Permission {
        let target = format!("vectors/{name}");
        let covers = |rule: &str| match rule {
            "*" => Some(0),
            "vectors" => Some(1),
            "vectors/*" => Some(2),
            rule => {
                let below = format!("{rule}/");
                (rule == target || target.starts_with(&below)).then_some(2 + rule.len())
            }
        };
        let matching =
            rules.iter().filter_map(|(rule, permission)| Some((covers(rule)?, *permission)));
        matching.max_by_key(|(length, _)| *length).map_or(None, |(_, permission)| permission)
    }

    proptest! {
        #[test]
        fn both_lookups_agree_with_the_naive_implementation(
            rules in prop::collection::btree_map(
                written(), prop::sample::select(&Permission::ALL[..]), 0..6,
            ),
            name in name(),
        ) {
            let rules: Vec<(String, Permission)> = rules.into_iter().collect();
            let expected = naive_permission(&rules, &name);
            let named: Vec<(&str, Permission)> =
                rules.iter().map(|(rule, permission)| (rule.as_str(), *permission)).collect();
            let parsed = super::rules(&named);
            prop_assert_eq!(parsed.permission(&collection(&name)), expected);
            for least in [Read, Write] {
                prop_assert_eq!(parsed.allowed("vectors", least).allows(&name), expected >= least);
            }
        }

        #[test]
        fn a_grant_never_covers_a_longer_name(name in "[a-z]{1,8}", more in "[a-z_]{1,3}") {
            let policy = policy(&[(&format!("tables/{name}"), Write)]);
            let neighbour = table(&(name + &more));
            prop_assert!(!policy.allows(neighbour, Read));
        }
    }
}
