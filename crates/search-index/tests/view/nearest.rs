//! Nearest-neighbour search, beyond what the random changes cover.

use crate::{all_docs, vector_model};
use model::{MemoryId, Moment, Seq, StoredVectors, VectorModel};
use quipu_index::{DocFacts, IndexEntry, QueryVector, View};
use std::collections::HashSet;

const DIMENSIONS: usize = 256;

/// Deterministic, roughly normal numbers around zero.
struct NoiseRng(u64);

impl NoiseRng {
    fn next(&mut self) -> f32 {
        let mut uniform = || {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1 << 24) as f32
        };
        (0..4).map(|_| uniform()).sum::<f32>() - 2.0
    }

    /// Returns a vector whose first dimensions vary most, as real embeddings do along their
    /// principal axes.
    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|at| self.next() / (1.0 + at as f32 / 32.0)).collect()
    }

    fn near_vector(&mut self, centre: &[f32], spread: f32) -> Vec<f32> {
        self.vector().iter().zip(centre).map(|(noise, value)| value + spread * noise).collect()
    }
}

fn quantise(values: &[f32], model: &VectorModel) -> StoredVectors {
    let most = values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let codes = values.iter().map(|value| (value / most * 127.0).round() as i8 as u8);
    StoredVectors {
        model: model.clone(),
        data: (most / 127.0).to_le_bytes().into_iter().chain(codes).collect(),
    }
}

fn view(vectors: &[StoredVectors]) -> View {
    let mut view = View::new(Some(vector_model(DIMENSIONS)));
    let entries = vectors.iter().zip(0..).map(|(vector, id)| {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(id)));
        entry.vector = Some(vector);
        entry
    });
    view.apply(entries, [], Seq(1));
    view
}

#[test]
fn the_sign_bit_prefilter_misses_hardly_anything() {
    let mut noise = NoiseRng(7);
    let centres: Vec<Vec<f32>> = (0..400).map(|_| noise.vector()).collect();
    let model = vector_model(DIMENSIONS);
    let points: Vec<Vec<f32>> =
        (0..24_000).map(|nth| noise.near_vector(&centres[nth % 400], 3.0)).collect();
    let vectors: Vec<StoredVectors> = points.iter().map(|point| quantise(point, &model)).collect();
    let view = view(&vectors);
    let all = all_docs(&view);
    const BEST: usize = 100;
    let (mut found, mut wanted) = (0, 0);
    for nth in 0..100 {
        let query = QueryVector::new(&noise.near_vector(&points[nth * 231], 0.5));
        let mut exact: Vec<(f32, i64)> =
            all.iter().map(|doc| (view.cosine(doc, &query).unwrap(), view.id(doc).0)).collect();
        exact.sort_by(|one, other| other.0.total_cmp(&one.0));
        let best: HashSet<i64> = exact[..BEST].iter().map(|(_, id)| *id).collect();
        let hits = view.nearest(&query, &all, BEST);
        wanted += BEST;
        found += hits.iter().filter(|hit| best.contains(&hit.id.0)).count();
    }
    let recall = found as f64 / wanted as f64;
    println!("recall of the prefilter: {recall:.4}");
    assert!(recall >= 0.98, "{recall}");
}

#[test]
fn vectors_of_another_model_are_never_mixed_in() {
    let mut noise = NoiseRng(3);
    let other = VectorModel { id: "other".into(), dimensions: DIMENSIONS };
    let values = noise.vector();
    let view = view(&[quantise(&values, &other), quantise(&values, &vector_model(DIMENSIONS))]);
    let hits = view.nearest(&QueryVector::new(&values), &all_docs(&view), 9);
    assert_eq!(hits.iter().map(|hit| hit.id.0).collect::<Vec<_>>(), [1]);
    assert!(hits[0].score > 0.999);
    assert!(!view.has_vector(view.doc(MemoryId(0)).unwrap()));
}

#[test]
fn bytes_of_the_wrong_length_leave_the_memory_without_a_vector() {
    let model = vector_model(DIMENSIONS);
    let view = view(&[StoredVectors { model, data: vec![1; 77] }]);
    assert_eq!(view.len(), 1);
    assert!(view.nearest(&QueryVector::new(&[1.0; DIMENSIONS]), &all_docs(&view), 9).is_empty());
}

#[test]
fn a_query_of_zeros_or_non_finite_values_is_harmless() {
    let model = vector_model(DIMENSIONS);
    let view = view(&[quantise(&NoiseRng(1).vector(), &model)]);
    for value in [0.0, f32::NAN, f32::INFINITY] {
        let hits = view.nearest(&QueryVector::new(&[value; DIMENSIONS]), &all_docs(&view), 9);
        assert_eq!(hits[0].score, 0.0);
    }
}
