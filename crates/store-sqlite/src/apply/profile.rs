//! The profile: one document, merged by RFC 7396, every version kept whole.

use super::{Applied, Applying};
use crate::{codes, json, read};
use model::{JsonMap, Provenance, changed_fields, limits, merge_patch};
use store::Made;

impl Applying<'_, '_> {
    pub(super) fn patch_profile(
        &mut self,
        patch: &JsonMap,
        reason: Option<&str>,
        provenance: &Provenance,
    ) -> Applied<Made> {
        const SQL: &str = "INSERT INTO profile (version, author, origin, trust, at, reason, changed, data)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        limits::chars("reason", reason.unwrap_or(""), limits::REASON_CHARS)?;
        let (version, before) = read::profile::newest(self.conn)?
            .map_or_else(|| (0, JsonMap::new()), |profile| (profile.version, profile.data));
        let after = merge_patch(&before, patch);
        if after == before {
            return Ok(Made::Profile(version));
        }
        limits::json("profile", &after, limits::PROFILE_BYTES)?;
        let author = self.ledger.author(self.conn, &provenance.author)?;
        let origin = codes::of_origin(provenance.origin);
        let changed = json::text_of_list(&changed_fields(&before, &after));
        let from = (provenance.trust.0, provenance.at.0);
        let data = json::text_of_map(&after);
        self.run(SQL, (version + 1, author, origin, from.0, from.1, reason, changed, data))?;
        Ok(Made::Profile(version + 1))
    }
}
