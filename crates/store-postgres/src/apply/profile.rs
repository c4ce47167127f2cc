//! The profile: one JSON document, changed by merge patch (RFC 7396), each version stored in full.

use super::{ApplyOutcome, BatchTransaction};
use crate::read;
use model::{JsonMap, Page, Provenance, changed_fields, limits, merge_patch};
use store::rules::profile_erasure::{ProposalErasure, erase_from_proposal, erase_from_version};
use store::rules::{codes, encoding};
use store::{ChangeResult, ForgetReceipt};

impl BatchTransaction<'_> {
    pub(super) fn patch_profile(
        &mut self,
        patch: &JsonMap,
        reason: Option<&str>,
        provenance: &Provenance,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "INSERT INTO profile (owner, version, author, origin, trust, at, reason, changed, data)
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        limits::chars("reason", reason.unwrap_or(""), limits::REASON_CHARS)?;
        let (version, before) = read::profile::newest(self.conn)?
            .map_or_else(|| (0, JsonMap::new()), |profile| (profile.version, profile.data));
        let after = merge_patch(&before, patch);
        if after == before {
            return Ok(ChangeResult::Profile(version));
        }
        limits::json("profile", &after, limits::PROFILE_BYTES)?;
        let author = self.counters.author(self.conn, &provenance.author)?;
        let origin = codes::origin_code(provenance.origin);
        let changed = encoding::list_text(&changed_fields(&before, &after));
        let from = (provenance.trust.0, provenance.at.0);
        let data = encoding::map_text(&after);
        self.send(SQL, (version + 1, author, origin, from.0, from.1, reason, changed, data))?;
        Ok(ChangeResult::Profile(version + 1))
    }

    pub(super) fn erase_profile(&mut self, fields: &[String]) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "UPDATE profile SET data = $3, reason = $4 WHERE owner = $1 AND version
             = $2";
        let mut erased = 0;
        let mut page = Page::first(limits::PAGE_ITEMS);
        loop {
            let versions = read::profile::history(self.conn, page)?.items;
            for mut version in versions.iter().cloned() {
                if erase_from_version(&mut version, fields) {
                    let data = encoding::map_text(&version.data);
                    self.send(SQL, (version.version, data, version.reason))?;
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
    fn erase_from_proposals(&self, fields: &[String]) -> ApplyOutcome<usize> {
        const FIND: &str = "SELECT id, details FROM reviews
             WHERE owner = $1 AND details IS NOT NULL AND position('\"profile\"' in details) > 0
             ORDER BY id";
        let found: Vec<(i64, JsonMap)> =
            self.conn.all(FIND, (), |row| Ok((row.get(0)?, row.map(1)?)))?;
        let mut changed = 0;
        for (id, mut details) in found {
            match erase_from_proposal(&mut details, fields) {
                ProposalErasure::Unaffected => continue,
                ProposalErasure::Changed => {
                    let details = encoding::map_text(&details);
                    self.send(
                        "UPDATE reviews SET details = $3 WHERE owner = $1 AND id = $2",
                        (id, details),
                    )?;
                }
                ProposalErasure::Emptied => {
                    self.send("DELETE FROM reviews WHERE owner = $1 AND id = $2", [id])?;
                }
            }
            changed += 1;
        }
        Ok(changed)
    }
}
