//! Filters over the metadata of memories, evaluated to a document set before anything is ranked.

use crate::interner::NO_NAME;
use crate::{DocId, DocSet, View};
use model::{LinkKind, MemoryId, Moment, SessionId, Source, SourceFilter, Status, Trust};
use std::collections::HashMap;

/// Maximum number of earlier versions whose session is checked. Bounds the work on a long history
/// or an imported cycle of replacements.
const VERSIONS_MAX: usize = 32;

/// Conditions on memories, combined with AND. An empty list is no condition.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    pub status: StatusFilter,
    /// Sources that the caller may read.
    pub sources: SourceFilter,
    /// Restricts the result to these memories; an empty list matches nothing.
    pub ids: Option<Vec<MemoryId>>,
    pub kinds: Vec<String>,
    pub collections: Vec<String>,
    /// An empty name matches memories without a project.
    pub projects: Vec<String>,
    pub sessions: Vec<SessionId>,
    /// Also accepts memories without a session, besides those of `sessions`.
    pub or_no_session: bool,
    pub agents: Vec<String>,
    /// An empty name matches memories without a speaker.
    pub speakers: Vec<String>,
    pub tags_any: Vec<String>,
    pub tags_all: Vec<String>,
    /// Lower bound of the start of validity.
    pub since: Option<Moment>,
    /// Upper bound of the start of validity.
    pub until: Option<Moment>,
    /// Lower bound of the creation time.
    pub written_since: Option<Moment>,
    /// Upper bound of the creation time.
    pub written_until: Option<Moment>,
    pub confidence_min: Option<f32>,
    pub confidence_max: Option<f32>,
    pub trust_min: Option<Trust>,
}

/// Condition on status and validity of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StatusFilter {
    /// Active and not expired.
    #[default]
    Current,
    /// Valid at that moment, as far as it had been written by then.
    AsOf(Moment),
    /// One of these statuses, expired or not.
    Statuses(Vec<Status>),
    /// Any status.
    Any,
}

impl View {
    /// Returns the documents that match a filter. `now` decides which ones have expired.
    #[must_use]
    pub fn filter(&self, filter: &Filter, now: Moment) -> DocSet {
        let mut set = self.filter_by_status(&filter.status, now);
        self.retain_matching(filter, &mut set);
        set
    }

    /// Keeps the documents that match a filter, whatever their status.
    pub fn retain_matching(&self, filter: &Filter, set: &mut DocSet) {
        if let Some(ids) = &filter.ids {
            let requested: DocSet = ids.iter().filter_map(|&id| self.doc(id)).collect();
            set.retain(|doc| requested.contains(doc));
        }
        self.retain_allowed_sources(&filter.sources, set);
        self.retain_by_names(filter, set);
        self.retain_by_tags(filter, set);
        self.retain_by_ranges(filter, set);
    }

    pub(crate) fn filter_by_status(&self, status_filter: &StatusFilter, now: Moment) -> DocSet {
        let columns = &self.columns;
        let table = &columns.table;
        let mut set = match status_filter {
            StatusFilter::Current => columns.active().clone(),
            // The usual list, for which there is a set already.
            StatusFilter::Statuses(statuses) if statuses[..] == [Status::Active] => {
                return columns.active().clone();
            }
            _ => columns.live().clone(),
        };
        match status_filter {
            StatusFilter::Current => {
                let expired = |doc: &DocId| table.valid_to[doc.index()] <= now.0;
                // Few memories have an end at all, so only those are checked.
                columns.expiring().iter().filter(expired).for_each(|doc| set.remove(doc));
            }
            StatusFilter::AsOf(moment) => set.retain(|doc| self.was_valid_at(doc, *moment)),
            StatusFilter::Statuses(statuses) => {
                let numbers: Vec<u8> = statuses.iter().map(|&status| status as u8).collect();
                set.retain_any(table.status.parts(), &numbers);
            }
            StatusFilter::Any => {}
        }
        set
    }

    fn was_valid_at(&self, doc: DocId, moment: Moment) -> bool {
        let (table, at) = (&self.columns.table, doc.index());
        // A memory that was never active, such as a proposal, was never valid.
        let was_active = table.status[at] == Status::Active as u8
            || table.ended_at[at] != crate::fact_table::NEVER;
        was_active
            && table.created_at[at] <= moment.0
            && table.ended_at[at] > moment.0
            && table.valid_to[at] > moment.0
    }

    fn retain_allowed_sources(&self, sources: &SourceFilter, set: &mut DocSet) {
        if sources.is_all() {
            return;
        }
        let (collections, tables) = (&self.columns.table.collection, &self.columns.table.table);
        // There are few sources and many memories, so each source is checked once.
        let mut verdicts: HashMap<(u32, u32), bool> = HashMap::new();
        set.retain(|doc| {
            let source = (collections[doc.index()], tables[doc.index()]);
            *verdicts.entry(source).or_insert_with(|| {
                let table = (source.1 != NO_NAME).then(|| self.names.name(source.1));
                sources.allows(Source::new(self.names.name(source.0), table))
            })
        });
    }

    fn retain_by_names(&self, filter: &Filter, set: &mut DocSet) {
        let table = &self.columns.table;
        for (wanted, column) in [
            (&filter.kinds, &table.kind),
            (&filter.collections, &table.collection),
            (&filter.projects, &table.project),
            (&filter.agents, &table.agent),
            (&filter.speakers, &table.speaker),
        ] {
            if !wanted.is_empty() {
                set.retain_any(column.parts(), &self.name_ids(wanted));
            }
        }
        if filter.or_no_session {
            set.retain(|doc| self.belongs_to_sessions(doc, &filter.sessions));
        } else if !filter.sessions.is_empty() {
            let sessions: Vec<i64> = filter.sessions.iter().map(|session| session.0).collect();
            set.retain_any(table.session.parts(), &sessions);
        }
    }

    /// Returns true if a memory, or a version it replaced, belongs to one of these sessions or to
    /// none. A correction is visible wherever the version it corrects was visible, whichever
    /// session it was written in.
    fn belongs_to_sessions(&self, doc: DocId, sessions: &[SessionId]) -> bool {
        let belongs = |doc: DocId| {
            let session = self.columns.table.session[doc.index()];
            session == crate::fact_table::NO_SESSION || sessions.contains(&SessionId(session))
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

    fn retain_by_tags(&self, filter: &Filter, set: &mut DocSet) {
        if !filter.tags_any.is_empty() {
            let numbers = self.name_ids(&filter.tags_any);
            set.retain(|doc| self.tags.get(doc).iter().any(|tag| numbers.contains(tag)));
        }
        if !filter.tags_all.is_empty() {
            // A tag that no memory carries has no id, and then nothing has all of the tags.
            let numbers: Option<Vec<u32>> =
                filter.tags_all.iter().map(|tag| self.names.id_of(tag)).collect();
            let has_all =
                |doc, all: &Vec<u32>| all.iter().all(|tag| self.tags.get(doc).contains(tag));
            set.retain(|doc| numbers.as_ref().is_some_and(|all| has_all(doc, all)));
        }
    }

    fn retain_by_ranges(&self, filter: &Filter, set: &mut DocSet) {
        let table = &self.columns.table;
        if let Some(since) = filter.since {
            set.retain_values(table.valid_from.parts(), |value| value >= since.0);
        }
        if let Some(until) = filter.until {
            set.retain_values(table.valid_from.parts(), |value| value <= until.0);
        }
        if let Some(since) = filter.written_since {
            set.retain_values(table.created_at.parts(), |value| value >= since.0);
        }
        if let Some(until) = filter.written_until {
            set.retain_values(table.created_at.parts(), |value| value <= until.0);
        }
        if let Some(min) = filter.confidence_min {
            set.retain_values(table.confidence.parts(), |value| value >= min);
        }
        if let Some(max) = filter.confidence_max {
            set.retain_values(table.confidence.parts(), |value| value <= max);
        }
        if let Some(Trust(min)) = filter.trust_min {
            set.retain_values(table.trust.parts(), |value| value >= min);
        }
    }

    fn name_ids(&self, names: &[String]) -> Vec<u32> {
        names.iter().filter_map(|name| self.names.id_of(name)).collect()
    }
}
