//! News: what came since the owner last looked. A visit goes on while its looks are not far apart;
//! what is new is counted from the end of the one before.

use crate::Memories;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::Filter;
use model::{Failure, Moment, Page, Permission, limits};
use serde_json::json;
use store::{Change, HandoffQuery, ReviewQuery};

/// Where it is kept when the owner was last here.
const VISITS: &str = "visits";
/// After this long without a look, the next one begins another visit.
const VISIT_ENDS_SECONDS: i64 = 30 * 60;
/// How exactly it is kept when the last look was.
const LOOKS_SECONDS: i64 = 5 * 60;

/// What came since the owner last looked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct News {
    /// Since when; `None` on the first visit, when nothing is news.
    pub since: Option<Moment>,
    /// How many memories that hold were written, by whom, most first.
    pub memories: Vec<(String, usize)>,
    /// How many items began to wait for a decision.
    pub reviews: usize,
    /// How many handoffs were written.
    pub handoffs: usize,
}

impl Memories<'_> {
    /// Notes that the owner looks, and tells what came since the visit before.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn arrive(self, caller: &Caller) -> Result<News, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Administration, Permission::Write, &"visit")
                .await?;
        match noted(&call).await? {
            Some(since) => news(&call, since).await,
            None => Ok(News::default()),
        }
    }
}

/// When the visit before this one ended; notes the look where it is worth a note.
async fn noted(call: &Call<'_>) -> Result<Option<Moment>, Failure> {
    let kept = call.store().setting(VISITS).await?;
    let moment = |name: &str| kept.as_ref().and_then(|kept| kept.get(name)?.as_i64()).map(Moment);
    let (seen, before) = (moment("seen"), moment("before"));
    let since = seen.map_or(i64::MAX, |seen| call.at.0.saturating_sub(seen.0) / 1_000_000);
    let before = if since > VISIT_ENDS_SECONDS { seen } else { before };
    if since > LOOKS_SECONDS {
        let value = json!({ "seen": call.at.0, "before": before.map(|moment| moment.0) });
        let change = Change::PutSetting { name: VISITS.to_owned(), value };
        call.write("the owner looked", vec![change]).await?;
    }
    Ok(before)
}

async fn news(call: &Call<'_>, since: Moment) -> Result<News, Failure> {
    let (core, owner) = (call.core, &call.caller.owner);
    let view = core.view(owner).await?;
    let after =
        Filter { written_since: Some(Moment(since.0.saturating_add(1))), ..Filter::default() };
    let memories = view.read(|view| {
        let tally = view.tally(&view.filter(&after, call.at));
        tally.agents.into_iter().map(|(agent, count)| (agent.to_owned(), count)).collect()
    });
    let open = ReviewQuery { open_only: true, ..ReviewQuery::default() };
    let all = Page::first(limits::PAGE);
    let reviews = core.store_of(owner).reviews(&open, all).await?;
    let handoffs = core.store_of(owner).handoffs(&HandoffQuery::default(), all).await?;
    Ok(News {
        since: Some(since),
        memories,
        reviews: reviews.items.iter().filter(|item| item.raised_at > since).count(),
        handoffs: handoffs.items.iter().filter(|handoff| handoff.created_at > since).count(),
    })
}
