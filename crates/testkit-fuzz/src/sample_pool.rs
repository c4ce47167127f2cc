//! The inputs to start from: the committed samples of a target, and each changed one after which
//! the parser answered in a way that was not seen before.

use crate::random::SeededRandom;
use std::collections::HashSet;
use std::path::Path;

/// Maximum number of inputs.
const INPUTS_MAX: usize = 2_000;

/// The inputs of a run.
#[derive(Debug)]
pub(crate) struct SamplePool {
    pub(crate) inputs: Vec<Vec<u8>>,
    answers: HashSet<u64>,
}

impl SamplePool {
    /// Reads the samples of a directory, in the order of their names.
    pub(crate) fn read(directory: &Path) -> std::io::Result<Self> {
        let mut files = directory
            .read_dir()?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<std::io::Result<Vec<_>>>()?;
        files.sort();
        let inputs = files.iter().map(std::fs::read).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self { inputs, answers: HashSet::new() })
    }

    /// Returns one of the inputs.
    pub(crate) fn pick(&self, random: &mut SeededRandom) -> Vec<u8> {
        random.pick(&self.inputs).cloned().unwrap_or_default()
    }

    /// Keeps an input if its answer is new.
    pub(crate) fn note(&mut self, input: &[u8], answer: u64) {
        if self.answers.insert(answer) && self.inputs.len() < INPUTS_MAX {
            self.inputs.push(input.to_vec());
        }
    }
}
