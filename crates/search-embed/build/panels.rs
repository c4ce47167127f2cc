//! Splits the weight matrices into int8 panels, in the order in which the forward pass uses them.
//! Each column of a panel has its own scale, so that a block of a wide matrix loses no more
//! precision than a narrow matrix would.

use std::error::Error;

use crate::layout::{COLUMNS, HIDDEN_BLOCKS, LAYERS, NETWORKS, PANEL, QUAD, WIDTH};
use crate::safetensors::Tensors;

/// Returns the panels of all networks, and for each panel the scales, weight sums and biases of its
/// columns.
pub fn pack(networks: [&Tensors; NETWORKS]) -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let mut packed = PanelPacker::default();
    for (tensors, layer) in networks.iter().flat_map(|one| (0..LAYERS).map(move |at| (one, at))) {
        let matrix =
            |name: &str, outputs, inputs| Matrix::read(tensors, layer, name, outputs, inputs);
        let (up, down) = (
            matrix("up", HIDDEN_BLOCKS * WIDTH, WIDTH)?,
            matrix("down", WIDTH, HIDDEN_BLOCKS * WIDTH)?,
        );
        packed.push(&matrix("qkv", 3 * WIDTH, WIDTH)?, 0..3 * WIDTH, 0);
        packed.push(&matrix("out", WIDTH, WIDTH)?, 0..WIDTH, 0);
        for block in 0..HIDDEN_BLOCKS {
            packed.push(&up, block * WIDTH..(block + 1) * WIDTH, 0);
            packed.push(&down, 0..WIDTH, block * WIDTH);
        }
    }
    Ok((packed.panels, packed.columns))
}

struct Matrix {
    weights: Vec<f32>,
    biases: Vec<f32>,
    inputs: usize,
}

impl Matrix {
    fn read(
        tensors: &Tensors,
        layer: usize,
        name: &str,
        outputs: usize,
        inputs: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let weights =
            tensors.floats(&format!("layers.{layer}.{name}.weight"), &[outputs, inputs])?;
        let biases = tensors.floats(&format!("layers.{layer}.{name}.bias"), &[outputs])?;
        Ok(Self { weights, biases, inputs })
    }

    /// Returns the weights of one output for the `WIDTH` inputs starting at `first`.
    fn column(&self, output: usize, first: usize) -> &[f32] {
        &self.weights[output * self.inputs + first..][..WIDTH]
    }
}

#[derive(Default)]
struct PanelPacker {
    panels: Vec<u8>,
    columns: Vec<u8>,
}

impl PanelPacker {
    fn push(&mut self, matrix: &Matrix, outputs: std::ops::Range<usize>, first: usize) {
        for start in outputs.step_by(COLUMNS) {
            self.push_panel(matrix, start, first);
        }
    }

    fn push_panel(&mut self, matrix: &Matrix, start: usize, first: usize) {
        let mut panel = [0u8; PANEL];
        let mut columns = [[0f32; COLUMNS]; 3];
        for column in 0..COLUMNS {
            let weights = matrix.column(start + column, first);
            let scale =
                weights.iter().fold(f32::MIN_POSITIVE, |max, weight| max.max(weight.abs())) / 127.0;
            let mut sum = 0.0;
            for (depth, weight) in weights.iter().enumerate() {
                let level = (weight / scale).round();
                panel[(depth / QUAD * COLUMNS + column) * QUAD + depth % QUAD] =
                    (level as i8) as u8;
                sum += level;
            }
            // The blocks of a wide matrix are added up, so only the first one brings the bias.
            let bias = if first == 0 { matrix.biases[start + column] } else { 0.0 };
            (columns[0][column], columns[1][column], columns[2][column]) =
                (scale, scale * sum, bias);
        }
        self.panels.extend(panel);
        self.columns.extend(columns.as_flattened().iter().flat_map(|float| float.to_le_bytes()));
    }
}
