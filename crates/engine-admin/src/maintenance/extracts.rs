//! Checking every extract against its sources. Writes keep them in step; this repairs what an
//! earlier version of the program left behind, such as a quote of a memory that was forgotten.

use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::is_extract;
use guard::Resource;
use model::{Failure, Kind, MemoryId, Page, Permission, limits};
use store::{MemoryQuery, MemorySort};

/// Number of extracts that are checked at a time; each may have to be embedded again.
const CHECKED_AT_ONCE: usize = 50;

impl<'e> Admin<'e> {
    /// Makes every extract again that no longer follows from its sources, and returns their number.
    ///
    /// # Errors
    /// Fails when the store cannot be read or written.
    pub fn refresh_extracts(self, caller: &'e Caller) -> UseCaseFuture<'e, usize> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &())
                    .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let mut refreshed = 0;
            for some in extracts(&call).await?.chunks(CHECKED_AT_ONCE) {
                refreshed += call.refresh_extracts(some).await?.len();
            }
            if refreshed > 0 {
                self.core.forget_in_view(&caller.owner).await?;
            }
            Ok(refreshed)
        })
    }
}

/// Returns the extracts in any status.
async fn extracts(call: &Call<'_>) -> Result<Vec<MemoryId>, Failure> {
    let query = MemoryQuery {
        kinds: vec![Kind::episode()],
        sort: MemorySort::Oldest,
        ..MemoryQuery::default()
    };
    let (mut found, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = call.store().list_memories(&query, page).await?.items;
        if listed.is_empty() {
            return Ok(found);
        }
        page.offset += listed.len();
        found.extend(listed.iter().filter(|memory| is_extract(memory)).map(|memory| memory.id));
    }
}
