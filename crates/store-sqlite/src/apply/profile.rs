//! The profile: one JSON document, changed by merge patch (RFC 7396), each version stored in full.

use super::{ApplyResult, BatchContext};
use crate::{enum_codes, json, read};
use model::{JsonMap, Page, Provenance, changed_fields, limits, merge_patch};
use store::rules::profile_erasure::{ProposalErasure, erase_from_proposal, erase_from_version};
use store::{ChangeResult, ForgetReceipt};

impl BatchContext<'_, '_> {
    pub(super) fn patch_profile(
        &mut self,
        patch: &JsonMap,
        reason: Option<&str>,
        provenance: &Provenance,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "INSERT INTO profile (version, author, origin, trust, at, reason, changed, data)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        limits::chars("reason", reason.unwrap_or(""), limits::REASON_CHARS)?;
        let (version, before) = read::profile::newest(self.conn)?
            .map_or_else(|| (0, JsonMap::new()), |profile| (profile.version, profile.data));
        let after = merge_patch(&before, patch);
        if after == before {
            return Ok(ChangeResult::Profile(version));
        }
        limits::json("profile", &after, limits::PROFILE_BYTES)?;
        let author = self.counters.author(self.conn, &provenance.author)?;
        let origin = enum_codes::origin_code(provenance.origin);
        let changed = json::list_text(&changed_fields(&before, &after));
        let from = (provenance.trust.0, provenance.at.0);
        let data = json::map_text(&after);
        self.execute(SQL, (version + 1, author, origin, from.0, from.1, reason, changed, data))?;
        Ok(ChangeResult::Profile(version + 1))
    }

    pub(super) fn erase_profile(&mut self, fields: &[String]) -> ApplyResult<ChangeResult> {
        const SQL: &str = "UPDATE profile SET data = ?2, reason = ?3 WHERE version = ?1";
        let mut erased = 0;
        let mut page = Page::first(limits::PAGE_ITEMS);
        loop {
            let versions = read::profile::history(self.conn, page)?.items;
            for mut version in versions.iter().cloned() {
                if erase_from_version(&mut version, fields) {
                    let data = json::map_text(&version.data);
                    self.execute(SQL, (version.version, data, version.reason))?;
                    erased += 1;
                }
            }
            if versions.is_empty() {
                break;
            }
            page.offset += versions.len();
        }
        let proposals = self.erase_from_proposals(fields)?;
        let mut places = vec![("profile versions".to_owned(), erased)];
        if proposals > 0 {
            places.push(("proposals".to_owned(), proposals));
        }
        Ok(ChangeResult::Forgotten(ForgetReceipt { removed: places, ..ForgetReceipt::default() }))
    }

    /// Removes fields from the proposals to change them, decided or not, and returns the number of
    /// changed proposals. One that proposes nothing else goes with them.
    fn erase_from_proposals(&self, fields: &[String]) -> ApplyResult<usize> {
        const FIND: &str =
            "SELECT id, details FROM reviews WHERE json_type(details, '$.profile') = 'object'";
        let found: Vec<(i64, JsonMap)> =
            read::all(self.conn, FIND, [], |row| Ok((row.get(0)?, json::read_map(row, 1)?)))?;
        let mut changed = 0;
        for (id, mut details) in found {
            match erase_from_proposal(&mut details, fields) {
                ProposalErasure::Unaffected => continue,
                ProposalErasure::Changed => {
                    let details = json::map_text(&details);
                    self.execute("UPDATE reviews SET details = ?2 WHERE id = ?1", (id, details))?;
                }
                ProposalErasure::Emptied => {
                    self.execute("DELETE FROM reviews WHERE id = ?1", [id])?;
                }
            }
            changed += 1;
        }
        Ok(changed)
    }
}
