//! Files of jobs in the memory of one process. They end with it.

use super::{FilePart, FilePartKey, JobFiles, surplus_files};
use crate::StoreError;
use async_trait::async_trait;
use model::{Moment, OwnerId};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Maximum number of files of all owners together, which bounds the memory that they take.
const FILES_MAX: usize = 8;

/// Parts by owner, job and number.
type PartTable = BTreeMap<(OwnerId, i64, i64), FilePart>;

/// Files of jobs of one process.
#[derive(Debug, Default)]
pub struct LocalJobFiles(Mutex<PartTable>);

#[async_trait]
impl JobFiles for LocalJobFiles {
    async fn put_part(
        &self,
        key: &FilePartKey,
        part: FilePart,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut parts = self.0.lock();
        parts.retain(|_, part| now < part.expires_at);
        let mut others = ends(&parts);
        others.remove(&(key.owner.clone(), key.job));
        let own = others.iter().filter(|((owner, _), _)| *owner == key.owner);
        for job in surplus_files(own.map(|((_, job), end)| (*end, *job)).collect()) {
            others.remove(&(key.owner.clone(), job));
        }
        let mut ends: Vec<_> = others.into_iter().map(|(file, end)| (end, file)).collect();
        ends.sort_unstable();
        let surplus = (ends.len() + 1).saturating_sub(FILES_MAX);
        let stay: Vec<_> = ends.into_iter().skip(surplus).map(|(_, file)| file).collect();
        let stays = |owner: &OwnerId, job: i64| {
            (owner, job) == (&key.owner, key.job) || stay.contains(&(owner.clone(), job))
        };
        parts.retain(|(owner, job, _), _| stays(owner, *job));
        parts.insert((key.owner.clone(), key.job, key.number), part);
        Ok(())
    }

    async fn part(&self, key: &FilePartKey, now: Moment) -> Result<Option<Vec<u8>>, StoreError> {
        let parts = self.0.lock();
        let part = parts.get(&(key.owner.clone(), key.job, key.number));
        Ok(part.filter(|part| now < part.expires_at).map(|part| part.bytes.clone()))
    }

    async fn remove_file(&self, owner: &OwnerId, job: i64) -> Result<(), StoreError> {
        self.0.lock().retain(|(of, other, _), _| (of, *other) != (owner, job));
        Ok(())
    }

    async fn remove_expired_parts(
        &self,
        owner: &OwnerId,
        now: Moment,
    ) -> Result<usize, StoreError> {
        let mut parts = self.0.lock();
        let before = parts.len();
        parts.retain(|(of, _, _), part| of != owner || now < part.expires_at);
        Ok(before - parts.len())
    }
}

/// Returns the moments at which the files expire.
fn ends(parts: &PartTable) -> BTreeMap<(OwnerId, i64), Moment> {
    let mut ends = BTreeMap::new();
    for ((owner, job, _), part) in parts {
        let end = ends.entry((owner.clone(), *job)).or_insert(part.expires_at);
        *end = part.expires_at.max(*end);
    }
    ends
}
