//! String interner for kinds, projects, tags and the like, so that a filter compares integers
//! instead of strings.

use std::collections::HashMap;

/// Id of the empty string, which stands for the absence of a name.
pub(crate) const NO_NAME: u32 = 0;

/// Maps each distinct string to a small integer and back.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    list: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self { list: vec!["".into()], numbers: HashMap::from([("".into(), NO_NAME)]) }
    }
}

impl Names {
    /// Returns the id of a name and assigns a new one if it has none yet.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.numbers.get(name) {
            return id;
        }
        let id = self.list.len() as u32;
        self.list.push(name.into());
        self.numbers.insert(name.into(), id);
        id
    }

    /// Returns the id of a name, if it was interned.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the name behind an id; empty for an unknown one.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.list.get(id as usize).map_or("", |name| name)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Iterates over all names in the order of their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = Names::default();
        let quipu = names.intern("quipu");
        assert_eq!(names.intern(""), NO_NAME);
        assert_eq!(names.intern("quipu"), quipu);
        assert_eq!(names.number("quipu"), Some(quipu));
        assert_eq!(names.number("nothing"), None);
        assert_eq!(names.name(quipu), "quipu");
        assert_eq!(names.name(99), "");
    }
}
