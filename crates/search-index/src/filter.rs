//! Which memories a search may look at, decided before anything is ranked.

use crate::names::NO_NAME;
use crate::{Doc, DocSet, View};
use model::{LinkKind, MemoryId, Moment, SessionId, Source, Sources, Status, Trust};
use std::collections::HashMap;

/// How many earlier versions of a memory are asked for the session they were made in.
const VERSIONS_MAX: usize = 32;

/// Which memories to look at. Every list that is empty lets all through; the others must each be
/// met.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// Where a memory must stand.
    pub standing: Standing,
    /// Only from sources that are open to whoever asks.
    pub sources: Sources,
    /// Only these memories.
    pub ids: Option<Vec<MemoryId>>,
    /// Only these kinds.
    pub kinds: Vec<String>,
    /// Only from these drawers.
    pub collections: Vec<String>,
    /// Only of these projects; an empty name stands for memories without one.
    pub projects: Vec<String>,
    /// Only of these sessions.
    pub sessions: Vec<SessionId>,
    /// Only of no session, or of the sessions named.
    pub or_no_session: bool,
    /// Only by these agents.
    pub agents: Vec<String>,
    /// Only by these speakers; an empty name stands for memories without one.
    pub speakers: Vec<String>,
    /// With at least one of these tags.
    pub tags_any: Vec<String>,
    /// With every one of these tags.
    pub tags_all: Vec<String>,
    /// Holding from this moment on, or later.
    pub since: Option<Moment>,
    /// Holding from this moment on, or earlier.
    pub until: Option<Moment>,
    /// Written at this moment or later.
    pub written_since: Option<Moment>,
    /// Written at this moment or earlier.
    pub written_until: Option<Moment>,
    /// At least this sure.
    pub confidence_min: Option<f32>,
    /// At most this sure.
    pub confidence_max: Option<f32>,
    /// Believed at least this far.
    pub trust_min: Option<Trust>,
}

/// Where a memory must stand to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Standing {
    /// Active and not expired: what holds now.
    #[default]
    Current,
    /// What held at that moment, as far as it was written down by then.
    AsOf(Moment),
    /// In one of these statuses, expired or not.
    Statuses(Vec<Status>),
    /// Anything that was not forgotten.
    Any,
}

impl View {
    /// The places a filter lets through. `now` decides what has expired.
    #[must_use]
    pub fn filter(&self, filter: &Filter, now: Moment) -> DocSet {
        let mut set = self.standing(&filter.standing, now);
        if let Some(ids) = &filter.ids {
            let asked: DocSet = ids.iter().filter_map(|&id| self.doc(id)).collect();
            set.retain(|doc| asked.contains(doc));
        }
        self.retain_open(&filter.sources, &mut set);
        self.retain_named(filter, &mut set);
        self.retain_tagged(filter, &mut set);
        self.retain_measured(filter, &mut set);
        set
    }

    fn standing(&self, standing: &Standing, now: Moment) -> DocSet {
        let columns = &self.columns;
        let table = &columns.table;
        let mut set = match standing {
            Standing::Current => columns.active().clone(),
            _ => columns.live().clone(),
        };
        match standing {
            Standing::Current => {
                let expired = |doc: &Doc| table.valid_to[doc.index()] <= now.0;
                columns.expiring().iter().filter(expired).for_each(|doc| set.remove(doc));
            }
            Standing::AsOf(moment) => set.retain(|doc| self.held_at(doc, *moment)),
            Standing::Statuses(statuses) => {
                let numbers: Vec<u8> = statuses.iter().map(|&status| status as u8).collect();
                set.retain_values(&table.status, |status| numbers.contains(&status));
            }
            Standing::Any => {}
        }
        set
    }

    fn held_at(&self, doc: Doc, moment: Moment) -> bool {
        let (table, at) = (&self.columns.table, doc.index());
        let was_active =
            table.status[at] == Status::Active as u8 || table.ended_at[at] != crate::columns::NEVER;
        was_active
            && table.created_at[at] <= moment.0
            && table.ended_at[at] > moment.0
            && table.valid_to[at] > moment.0
    }

    /// There are few sources and many memories, so each source is judged once.
    fn retain_open(&self, sources: &Sources, set: &mut DocSet) {
        if sources.is_all() {
            return;
        }
        let (collections, tables) = (&self.columns.table.collection, &self.columns.table.table);
        let mut verdicts: HashMap<(u32, u32), bool> = HashMap::new();
        set.retain(|doc| {
            let place = (collections[doc.index()], tables[doc.index()]);
            *verdicts.entry(place).or_insert_with(|| {
                let table = (place.1 != NO_NAME).then(|| self.names.name(place.1));
                sources.allows(Source::new(self.names.name(place.0), table))
            })
        });
    }

    fn retain_named(&self, filter: &Filter, set: &mut DocSet) {
        let table = &self.columns.table;
        for (wanted, column) in [
            (&filter.kinds, &table.kind),
            (&filter.collections, &table.collection),
            (&filter.projects, &table.project),
            (&filter.agents, &table.agent),
            (&filter.speakers, &table.speaker),
        ] {
            if !wanted.is_empty() {
                match self.numbers(wanted)[..] {
                    [only] => set.retain_values(column, |number| number == only),
                    ref numbers => set.retain_values(column, |number| numbers.contains(&number)),
                }
            }
        }
        if filter.or_no_session {
            set.retain(|doc| self.is_within(doc, &filter.sessions));
        } else if !filter.sessions.is_empty() {
            set.retain_values(&table.session, |session| {
                filter.sessions.contains(&SessionId(session))
            });
        }
    }

    /// Whether a memory belongs to none or one of these sessions, or replaced one that does: a
    /// correction holds where the wrong one stood, whoever made it.
    fn is_within(&self, doc: Doc, sessions: &[SessionId]) -> bool {
        let belongs = |doc: Doc| {
            let session = self.columns.table.session[doc.index()];
            session == crate::columns::NO_SESSION || sessions.contains(&SessionId(session))
        };
        let (mut versions, mut at) = (vec![doc], 0);
        while let Some(&version) = versions.get(at) {
            if belongs(version) {
                return true;
            }
            let replaced = self.links.out(version).filter(|link| link.kind == LinkKind::Supersedes);
            for old in replaced.filter_map(|link| self.doc(link.target)) {
                if versions.len() < VERSIONS_MAX && !versions.contains(&old) {
                    versions.push(old);
                }
            }
            at += 1;
        }
        false
    }

    fn retain_tagged(&self, filter: &Filter, set: &mut DocSet) {
        if !filter.tags_any.is_empty() {
            let numbers = self.numbers(&filter.tags_any);
            set.retain(|doc| self.tags.get(doc).iter().any(|tag| numbers.contains(tag)));
        }
        if !filter.tags_all.is_empty() {
            let numbers: Option<Vec<u32>> =
                filter.tags_all.iter().map(|tag| self.names.number(tag)).collect();
            let has_all =
                |doc, all: &Vec<u32>| all.iter().all(|tag| self.tags.get(doc).contains(tag));
            set.retain(|doc| numbers.as_ref().is_some_and(|all| has_all(doc, all)));
        }
    }

    fn retain_measured(&self, filter: &Filter, set: &mut DocSet) {
        let table = &self.columns.table;
        if let Some(since) = filter.since {
            set.retain_values(&table.valid_from, |value| value >= since.0);
        }
        if let Some(until) = filter.until {
            set.retain_values(&table.valid_from, |value| value <= until.0);
        }
        if let Some(since) = filter.written_since {
            set.retain_values(&table.created_at, |value| value >= since.0);
        }
        if let Some(until) = filter.written_until {
            set.retain_values(&table.created_at, |value| value <= until.0);
        }
        if let Some(min) = filter.confidence_min {
            set.retain_values(&table.confidence, |value| value >= min);
        }
        if let Some(max) = filter.confidence_max {
            set.retain_values(&table.confidence, |value| value <= max);
        }
        if let Some(Trust(min)) = filter.trust_min {
            set.retain_values(&table.trust, |value| value >= min);
        }
    }

    fn numbers(&self, names: &[String]) -> Vec<u32> {
        names.iter().filter_map(|name| self.names.number(name)).collect()
    }
}
