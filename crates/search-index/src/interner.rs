//! String interner for kinds, projects, tags and the like, so that a filter compares integers
//! instead of strings.

use std::collections::HashMap;

/// Id of the empty string, which stands for the absence of a name.
pub(crate) const NO_NAME: u32 = 0;

/// Maps each distinct string to a small integer and back.
#[derive(Debug, Clone)]
pub(crate) struct StringInterner {
    strings: Vec<Box<str>>,
    ids: HashMap<Box<str>, u32>,
}

impl Default for StringInterner {
    fn default() -> Self {
        Self { strings: vec!["".into()], ids: HashMap::from([("".into(), NO_NAME)]) }
    }
}

impl StringInterner {
    /// Returns the id of a name and assigns a new one if it has none yet.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.strings.len() as u32;
        self.strings.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    /// Returns the id of a name, if it was interned.
    pub(crate) fn id_of(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// Returns the name behind an id; empty for an unknown one.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.strings.get(id as usize).map_or("", |name| name)
    }

    pub(crate) fn len(&self) -> usize {
        self.strings.len()
    }

    /// Iterates over all names in the order of their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.strings.iter().map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_id() {
        let mut names = StringInterner::default();
        let quipu = names.intern("quipu");
        assert_eq!(names.intern(""), NO_NAME);
        assert_eq!(names.intern("quipu"), quipu);
        assert_eq!(names.id_of("quipu"), Some(quipu));
        assert_eq!(names.id_of("nothing"), None);
        assert_eq!(names.name(quipu), "quipu");
        assert_eq!(names.name(99), "");
    }
}
