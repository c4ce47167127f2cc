//! A tiny model with random weights, compared with vectors computed by numpy, and directories that
//! are not a model. `make_tiny.py` in this folder generates model and vectors.

#![cfg(feature = "candle")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

extern crate quipu_embed_local as embed_local;

use embed::{Calibration, Embedder, Embedding};
use embed_local::{LocalEmbedder, LocalError, LocalSettings, Pooling};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Maximum difference between two orders of summation.
const TOLERANCE: f32 = 2e-4;

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/local/tiny")
}

fn settings(directory: PathBuf) -> LocalSettings {
    LocalSettings { directory, pooling: None, query_prefix: None, document_prefix: None }
}

/// A copy of the tiny model whose files can be changed.
struct ModelCopy(TempDir);

impl ModelCopy {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let copy =
            |name: &str| std::fs::copy(tiny().join(name), directory.path().join(name)).unwrap();
        std::fs::create_dir(directory.path().join("1_Pooling")).unwrap();
        for name in [
            "config.json",
            "vocab.txt",
            "model.safetensors",
            "modules.json",
            "1_Pooling/config.json",
        ] {
            copy(name);
        }
        Self(directory)
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    fn write(&self, name: &str, value: &Value) -> &Self {
        std::fs::write(self.path().join(name), value.to_string()).unwrap();
        self
    }

    /// Changes one value in a JSON file.
    fn edit(&self, name: &str, key: &str, value: Value) -> &Self {
        let text = std::fs::read_to_string(self.path().join(name)).unwrap();
        let mut json: Value = serde_json::from_str(&text).unwrap();
        json[key] = value;
        self.write(name, &json)
    }

    fn open(&self) -> LocalEmbedder {
        LocalEmbedder::open(&settings(self.path())).unwrap()
    }

    fn open_error(&self) -> String {
        match LocalEmbedder::open(&settings(self.path())) {
            Ok(_) => "nothing".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

/// Checks the vectors of all texts against those computed by numpy with this pooling.
fn check_vectors(local: &LocalEmbedder, way: &str) {
    let golden: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(tiny().join("golden.json")).unwrap())
            .unwrap();
    let texts: Vec<&str> = golden.iter().map(|case| case["text"].as_str().unwrap()).collect();
    // All in one call: windows of different lengths share a batch, and padding must not matter.
    let embeddings = local.embed(&texts).unwrap();
    for (case, embedding) in golden.iter().zip(embeddings) {
        let expected: Vec<Vec<f32>> = serde_json::from_value(case[way].clone()).unwrap();
        assert_eq!(embedding.windows.len(), expected.len(), "{case}");
        for (vector, expected) in embedding.windows.iter().zip(&expected) {
            let far = vector
                .iter()
                .zip(expected)
                .map(|(one, other)| (one - other).abs())
                .fold(0.0, f32::max);
            assert!(
                far < TOLERANCE && vector.len() == expected.len(),
                "{}: off by {far}",
                case["text"]
            );
        }
    }
}

#[test]
fn mean_pooling_matches_numpy() {
    check_vectors(&LocalEmbedder::open(&settings(tiny())).unwrap(), "mean");
}

#[test]
fn cls_pooling_matches_numpy() {
    let copy = ModelCopy::new();
    copy.write("1_Pooling/config.json", &json!({"pooling_mode_cls_token": true}));
    check_vectors(&copy.open(), "cls");
}

#[test]
fn roberta_positions_match_numpy() {
    let copy = ModelCopy::new();
    copy.edit("config.json", "model_type", json!("roberta")).edit(
        "config.json",
        "pad_token_id",
        json!(1),
    );
    check_vectors(&copy.open(), "roberta");
}

#[test]
fn the_settings_choose_the_pooling_if_the_files_do_not() {
    let copy = ModelCopy::new();
    std::fs::remove_dir_all(copy.path().join("1_Pooling")).unwrap();
    let cls = LocalSettings { pooling: Some(Pooling::Cls), ..settings(copy.path()) };
    check_vectors(&LocalEmbedder::open(&cls).unwrap(), "cls");
    check_vectors(&copy.open(), "mean");
}

#[test]
fn tokenizer_json_gives_the_same_vectors_as_the_vocabulary() {
    let copy = ModelCopy::new();
    let vocabulary = std::fs::read_to_string(tiny().join("vocab.txt")).unwrap();
    let pieces: serde_json::Map<String, Value> =
        vocabulary.lines().enumerate().map(|(at, piece)| (piece.to_owned(), at.into())).collect();
    let special = |token: &str| json!({ "id": token, "ids": [pieces[token]], "tokens": [token] });
    let tokenizer = json!({
        "version": "1.0",
        "truncation": {
            "max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"
        },
        "padding": {
            "strategy": { "Fixed": 16 }, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"
        },
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true
        },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                { "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
                { "Sequence": { "id": "A", "type_id": 0 } },
                { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }
            ],
            "pair": [],
            "special_tokens": { "[CLS]": special("[CLS]"), "[SEP]": special("[SEP]") },
        },
        "decoder": null,
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": pieces },
    });
    copy.write("tokenizer.json", &tokenizer);
    check_vectors(&copy.open(), "mean");
}

#[test]
fn questions_have_their_own_prefix_which_the_files_may_define() {
    let copy = ModelCopy::new();
    let prompts = json!({ "prompts": { "query": "query: ", "document": "passage: " } });
    copy.write("config_sentence_transformers.json", &prompts);
    let plain = LocalSettings {
        query_prefix: Some(String::new()),
        document_prefix: Some(String::new()),
        ..settings(copy.path())
    };
    let (prompted, plain) = (copy.open(), LocalEmbedder::open(&plain).unwrap());
    let question = |local: &LocalEmbedder| local.embed_question("green lamp").unwrap();
    let one = |mut embeddings: Vec<Embedding>| embeddings.pop().unwrap();
    assert_eq!(question(&prompted), one(plain.embed(&["query: green lamp"]).unwrap()));
    assert_eq!(
        one(prompted.embed(&["green lamp"]).unwrap()),
        one(plain.embed(&["passage: green lamp"]).unwrap())
    );
    assert_ne!(
        prompted.model().id,
        plain.model().id,
        "texts with another prefix have other vectors"
    );
}

#[test]
fn other_weights_are_another_model() {
    let (copy, same) = (ModelCopy::new(), ModelCopy::new());
    let digest = |copy: &ModelCopy| copy.open().model().id.split('@').nth(1).unwrap().to_owned();
    assert_eq!(digest(&copy), digest(&same));
    let weights = copy.path().join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    assert_ne!(digest(&copy), digest(&same));
}

#[test]
fn the_calibration_is_known_after_the_first_question() {
    let local = LocalEmbedder::open(&settings(tiny())).unwrap();
    assert_eq!(local.calibration(), Calibration::BUNDLED);
    local.embed_question("which lamp is green?").unwrap();
    assert_ne!(local.calibration(), Calibration::BUNDLED);
    assert_eq!(local.model().dimensions, 32);
}

#[test]
fn an_invalid_model_is_rejected_with_advice() {
    let check = |spoil: &dyn Fn(&ModelCopy), part: &str| {
        let copy = ModelCopy::new();
        spoil(&copy);
        let error = copy.open_error();
        assert!(error.contains(part), "{part} is not in {error}");
    };
    let remove =
        |copy: &ModelCopy, name: &str| std::fs::remove_file(copy.path().join(name)).unwrap();
    check(&|copy| remove(copy, "config.json"), "`directory` must name a folder");
    check(&|copy| remove(copy, "model.safetensors"), "model.safetensors");
    check(&|copy| remove(copy, "vocab.txt"), "vocab.txt");
    check(&|copy| _ = copy.write("config.json", &json!([])), "unexpected content");
    check(&|copy| _ = copy.edit("config.json", "model_type", json!("mpnet")), "`mpnet`");
    check(
        &|copy| _ = copy.write("1_Pooling/config.json", &json!({"pooling_mode_max_tokens": true})),
        "max",
    );
    check(
        &|copy| _ = copy.write("modules.json", &json!([{"type": "models.Dense"}])),
        "models.Dense",
    );
}

#[test]
fn mismatched_weights_are_reported_with_the_first_text() {
    let copy = ModelCopy::new();
    copy.edit("config.json", "num_hidden_layers", json!(3));
    let refused = copy.open().embed(&["one"]).unwrap_err().to_string();
    assert!(refused.contains("do not match its config.json"), "{refused}");
    std::fs::write(copy.path().join("model.safetensors"), "nothing").unwrap();
    assert!(copy.open().embed(&["one"]).is_err());
}

#[test]
fn a_missing_directory_is_a_file_error() {
    let missing = LocalEmbedder::open(&settings(PathBuf::from("nowhere")));
    assert!(matches!(missing.map(|_| ()), Err(LocalError::File { .. })));
}
