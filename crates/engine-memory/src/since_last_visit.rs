//! Changes since the owner's last visit to the dashboard. A visit lasts as long as its requests are
//! close together; changes are counted from the end of the previous visit.

use crate::Memories;
use crate::review::open_reviews_since;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::Filter;
use model::{Failure, Moment, Page, Permission, limits};
use serde_json::json;
use store::{Change, HandoffQuery};

// Stored as a setting and must not change.
const VISITS: &str = "visits";
// After half an hour without a request, the next one begins another visit.
const VISIT_GAP_SECONDS: i64 = 30 * 60;
// The time of a request is stored at most every five minutes, since each time costs a write.
const NOTE_INTERVAL_SECONDS: i64 = 5 * 60;

/// Counts of what is new since the owner's last visit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SinceLastVisit {
    /// End of the previous visit; `None` on the first visit, when nothing counts as new.
    pub since: Option<Moment>,
    /// Number of current memories by agent, most first.
    pub memories: Vec<(String, usize)>,
    /// Number of review items raised that are still open.
    pub reviews: usize,
    /// Number of handoffs stored.
    pub handoffs: usize,
}

impl<'e> Memories<'e> {
    /// Notes a visit of the owner and returns what is new since the previous one.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn note_visit(self, caller: &'e Caller) -> UseCaseFuture<'e, SinceLastVisit> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Administration,
                Permission::Write,
                &"visit",
            )
            .await?;
            match note_request(&call).await? {
                Some(since) => count_since(&call, since).await,
                None => Ok(SinceLastVisit::default()),
            }
        })
    }
}

/// Returns the end of the previous visit, and notes the current one if enough time has passed.
async fn note_request(call: &Call<'_>) -> Result<Option<Moment>, Failure> {
    let stored = call.store().setting(VISITS).await?;
    let moment =
        |name: &str| stored.as_ref().and_then(|stored| stored.get(name)?.as_i64()).map(Moment);
    let (seen, before) = (moment("seen"), moment("before"));
    let since = seen.map_or(i64::MAX, |seen| call.at.0.saturating_sub(seen.0) / 1_000_000);
    let before = if since > VISIT_GAP_SECONDS { seen } else { before };
    if since > NOTE_INTERVAL_SECONDS {
        let value = json!({ "seen": call.at.0, "before": before.map(|moment| moment.0) });
        let change = Change::PutSetting { name: VISITS.to_owned(), value };
        call.write("noted a visit of the owner", vec![change]).await?;
    }
    Ok(before)
}

async fn count_since(call: &Call<'_>, since: Moment) -> Result<SinceLastVisit, Failure> {
    let (core, owner) = (call.core, &call.caller.owner);
    let view = core.view(owner).await?;
    // The last request of the previous visit has seen its own moment already.
    let after =
        Filter { written_since: Some(Moment(since.0.saturating_add(1))), ..Filter::default() };
    let memories = view.read(|view| {
        let tally = view.facet_counts(&view.filter(&after, call.at));
        tally.agents.into_iter().map(|(agent, count)| (agent.to_owned(), count)).collect()
    });
    let all = Page::first(limits::PAGE_ITEMS);
    let handoffs = core.store_of(owner).handoffs(&HandoffQuery::default(), all).await?;
    Ok(SinceLastVisit {
        since: Some(since),
        memories,
        reviews: open_reviews_since(call, since).await?,
        handoffs: handoffs.items.iter().filter(|handoff| handoff.created_at > since).count(),
    })
}
