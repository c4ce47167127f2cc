//! Kinds, projects, tags and the like as small numbers, so that a filter compares numbers and not
//! texts.

use std::collections::HashMap;

/// The number of no name at all.
pub(crate) const NO_NAME: u32 = 0;

/// Every name once, under the number it was first given.
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
    /// The number of the name, a new one if it has none yet.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The number of the name, if anything carries it.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a number.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.list.get(number as usize).map_or("", |name| name)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Every name, in the order of their numbers.
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
