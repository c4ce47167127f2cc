//! A tiny model with random weights, compared with vectors computed by numpy, and directories that
//! are not a model. `make_tiny.py` in this folder generates model and vectors.

#![cfg(feature = "candle")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

extern crate quipu_embed_local as embed_local;

use embed::{Calibration, Embedder, Embedding};
use embed_local::{Local, LocalError, Pooling, Settings};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Maximum difference between two orders of summation.
const TOLERANCE: f32 = 2e-4;

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/local/tiny")
}

fn settings(directory: PathBuf) -> Settings {
    Settings { directory, pooling: None, query_prefix: None, document_prefix: None }
}

/// A copy of the tiny model whose files can be changed.
struct Copy(TempDir);

impl Copy {
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

    fn open(&self) -> Local {
        Local::open(&settings(self.path())).unwrap()
    }

    fn refusal(&self) -> String {
        match Local::open(&settings(self.path())) {
            Ok(_) => "nothing".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

/// Checks the vectors of all texts against those computed by numpy with this pooling.
fn check(local: &Local, way: &str) {
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
fn the_mean_of_the_tokens_is_what_numpy_says() {
    check(&Local::open(&settings(tiny())).unwrap(), "mean");
}

#[test]
fn the_first_token_is_what_numpy_says() {
    let copy = Copy::new();
    copy.write("1_Pooling/config.json", &json!({"pooling_mode_cls_token": true}));
    check(&copy.open(), "cls");
}

#[test]
fn positions_of_roberta_are_what_numpy_says() {
    let copy = Copy::new();
    copy.edit("config.json", "model_type", json!("roberta")).edit(
        "config.json",
        "pad_token_id",
        json!(1),
    );
    check(&copy.open(), "roberta");
}

#[test]
fn where_the_files_do_not_say_how_to_pool_the_settings_do() {
    let copy = Copy::new();
    std::fs::remove_dir_all(copy.path().join("1_Pooling")).unwrap();
    let cls = Settings { pooling: Some(Pooling::Cls), ..settings(copy.path()) };
    check(&Local::open(&cls).unwrap(), "cls");
    check(&copy.open(), "mean");
}

#[test]
fn a_whole_tokenizer_gives_the_same_as_its_pieces() {
    let copy = Copy::new();
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
    check(&copy.open(), "mean");
}

#[test]
fn a_question_has_its_own_prefix_and_files_may_say_which() {
    let copy = Copy::new();
    let prompts = json!({ "prompts": { "query": "query: ", "document": "passage: " } });
    copy.write("config_sentence_transformers.json", &prompts);
    let plain = Settings {
        query_prefix: Some(String::new()),
        document_prefix: Some(String::new()),
        ..settings(copy.path())
    };
    let (prompted, plain) = (copy.open(), Local::open(&plain).unwrap());
    let question = |local: &Local| local.embed_question("green lamp").unwrap();
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
fn other_weights_or_pieces_are_another_model() {
    let (copy, same) = (Copy::new(), Copy::new());
    let digest = |copy: &Copy| copy.open().model().id.split('@').nth(1).unwrap().to_owned();
    assert_eq!(digest(&copy), digest(&same));
    let weights = copy.path().join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    assert_ne!(digest(&copy), digest(&same));
}

#[test]
fn it_says_what_its_cosines_mean_once_it_was_asked() {
    let local = Local::open(&settings(tiny())).unwrap();
    assert_eq!(local.calibration(), Calibration::BUNDLED);
    local.embed_question("which lamp is green?").unwrap();
    assert_ne!(local.calibration(), Calibration::BUNDLED);
    assert_eq!(local.model().dimensions, 32);
}

#[test]
fn what_is_no_model_is_refused_with_what_to_do() {
    let check = |spoil: &dyn Fn(&Copy), part: &str| {
        let copy = Copy::new();
        spoil(&copy);
        let error = copy.refusal();
        assert!(error.contains(part), "{part} is not in {error}");
    };
    let remove = |copy: &Copy, name: &str| std::fs::remove_file(copy.path().join(name)).unwrap();
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
fn weights_that_do_not_fit_are_told_when_the_first_text_comes() {
    let copy = Copy::new();
    copy.edit("config.json", "num_hidden_layers", json!(3));
    let refused = copy.open().embed(&["one"]).unwrap_err().to_string();
    assert!(refused.contains("do not match its config.json"), "{refused}");
    std::fs::write(copy.path().join("model.safetensors"), "nothing").unwrap();
    assert!(copy.open().embed(&["one"]).is_err());
}

#[test]
fn a_refusal_is_an_error_of_its_own() {
    let missing = Local::open(&settings(PathBuf::from("nowhere")));
    assert!(matches!(missing.map(|_| ()), Err(LocalError::File { .. })));
}
