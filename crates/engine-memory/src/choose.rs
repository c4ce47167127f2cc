//! Choose: the memories that hold now and fit conditions, in an order of one's choice. No question
//! is asked of them; whoever has one recalls.

use crate::Memories;
use crate::sessions::SessionRef;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Doc, DocSet, Filter, View};
use model::{Failure, Memory, MemoryId, Moment, Page, Permission, Status, limits};
use std::cmp::Reverse;
use std::collections::HashSet;
use store::{MemoryQuery, Sort};

/// Conditions. Every list that is empty lets all through; the others must each be met.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choose {
    /// Of these kinds.
    pub kinds: Vec<String>,
    /// Of these sessions.
    pub sessions: Vec<SessionRef>,
    /// From this moment on, included.
    pub since: Option<Moment>,
    /// Up to this moment, included.
    pub until: Option<Moment>,
    /// At least this sure.
    pub confidence_min: Option<f32>,
    /// At most this sure.
    pub confidence_max: Option<f32>,
    /// In which order.
    pub order: Order,
    /// How many at most; never more than a page.
    pub limit: usize,
}

/// In which order to choose; of equals, the younger first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The newest first.
    #[default]
    Newest,
    /// The surest first.
    MostConfident,
    /// The most used first.
    MostUsed,
    /// The most important first.
    MostImportant,
}

/// What was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The memories, in order.
    pub memories: Vec<Memory>,
    /// How many fit in all.
    pub total: usize,
}

impl Memories<'_> {
    /// Chooses.
    ///
    /// # Errors
    /// `not_found` when a session is not there; otherwise when the store cannot answer.
    pub async fn choose(self, caller: &Caller, input: &Choose) -> Result<Chosen, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                .await?;
        // Whoever orders by use, or looks at it, wants to see what was used a moment ago.
        self.core.flush_usage().await;
        let filter = filter_of(&call, input).await?;
        let view = self.core.view(&caller.owner).await?;
        let fitting = view.read(|view| ordered(view, &view.filter(&filter, call.at), input.order));
        let limit = input.limit.min(limits::PAGE);
        let ids = match input.order {
            Order::MostUsed => most_used(&call, &fitting, limit).await?,
            _ => fitting.iter().copied().take(limit).collect(),
        };
        let memories = self.core.standing(&call, &ids, &filter.standing).await?;
        let shown: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        call.note_shown(format!("chose {}", shown.len()), &shown).await;
        Ok(Chosen { memories, total: fitting.len() })
    }
}

async fn filter_of(call: &Call<'_>, input: &Choose) -> Result<Filter, Failure> {
    let mut sessions = Vec::with_capacity(input.sessions.len());
    for session in &input.sessions {
        sessions.push(crate::sessions::named_session(call, session).await?.id);
    }
    Ok(Filter {
        kinds: input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect(),
        sessions,
        since: input.since,
        until: input.until,
        confidence_min: input.confidence_min,
        confidence_max: input.confidence_max,
        ..call.filter()
    })
}

fn ordered(view: &View, fitting: &DocSet, order: Order) -> Vec<MemoryId> {
    let mut docs: Vec<Doc> = fitting.iter().collect();
    let age = |doc: Doc| Reverse((view.facts(doc).valid_from, view.id(doc)));
    docs.sort_by_cached_key(|&doc| age(doc));
    match order {
        Order::Newest | Order::MostUsed => {}
        Order::MostConfident => {
            docs.sort_by(|&a, &b| view.facts(b).confidence.total_cmp(&view.facts(a).confidence));
        }
        Order::MostImportant => docs.sort_by_key(|&doc| view.facts(doc).priority),
    }
    docs.into_iter().map(|doc| view.id(doc)).collect()
}

/// Of the fitting ones those used most. The store counts uses; the view hears of them late.
async fn most_used(
    call: &Call<'_>,
    fitting: &[MemoryId],
    limit: usize,
) -> Result<Vec<MemoryId>, Failure> {
    let wanted: HashSet<MemoryId> = fitting.iter().copied().collect();
    let query =
        MemoryQuery { statuses: vec![Status::Active], sort: Sort::MostUsed, ..call.query() };
    let (mut found, mut page) = (Vec::new(), Page::first(limits::PAGE));
    while found.len() < limit.min(fitting.len()) {
        let listed = call.store().list_memories(&query, page).await;
        let listed = listed?.items;
        if listed.is_empty() {
            break;
        }
        page.offset += listed.len();
        found.extend(listed.iter().map(|memory| memory.id).filter(|id| wanted.contains(id)));
    }
    found.truncate(limit);
    Ok(found)
}
