//! Nouns and verbs beside a value that only name its type: a date, an amount of money, a number.
//! They do not tell one subject from another.

use super::lexicon::{StemSet, in_stems, stems};
use super::values::{self, ValueType};

/// Returns true for nouns that only name the type of the value beside them: a date, an amount of
/// money, a number. They do not tell one subject from another.
pub(super) fn names_type(key: &str, kind: ValueType, unit: &str) -> bool {
    match kind {
        ValueType::Date | ValueType::Weekday => in_stems(&DATE_NOUN_STEMS, key),
        ValueType::TimeOfDay => in_stems(&TIME_NOUN_STEMS, key),
        ValueType::Quantity if values::is_currency(unit) => in_stems(&MONEY_STEMS, key),
        ValueType::Quantity | ValueType::Frequency => in_stems(&AMOUNT_STEMS, key),
        ValueType::Version | ValueType::Identifier => false,
    }
}

/// Returns true if a key is the stem of a verb between somebody and an amount of money.
pub(super) fn is_money_verb(key: &str) -> bool {
    matches!(key, "salary" | "pay" | "cost" | "spend" | "charg" | "bill" | "zahl" | "kost" | "paga")
}

/// Returns true if a key is the stem of a noun before the amount that it measures: "max 3 tablets".
pub(super) fn is_measure_noun(key: &str) -> bool {
    in_stems(&MEASURE_STEMS, key)
}

/// Returns true if a key is the stem of a word for whoever is meant anyway: "staff may work from
/// home", "users are authenticated".
pub(super) fn is_anybody(key: &str) -> bool {
    in_stems(&ANYBODY_STEMS, key)
}

/// Returns true for words for whatever is spoken of anyway: "the project runs on PHP 8.3".
pub(super) fn is_anything(word: &str) -> bool {
    matches!(word, "project" | "app" | "application" | "codebase" | "repo" | "backend")
        || matches!(word, "projet" | "projekt" | "proyecto" | "progetto" | "anwendung")
}

/// Returns true if a text of a language without spaces ends in an attribute with one value.
pub(super) fn ends_in_attribute(text: &str) -> bool {
    UNSEGMENTED_ATTRIBUTES.iter().any(|attribute| text.ends_with(attribute))
}

static ANYBODY_STEMS: StemSet = StemSet::new(|| stems(ANYBODY));
static DATE_NOUN_STEMS: StemSet = StemSet::new(|| stems(DATE_NOUNS));
static TIME_NOUN_STEMS: StemSet = StemSet::new(|| stems(TIME_NOUNS));
static MONEY_STEMS: StemSet = StemSet::new(|| stems(MONEY_NOUNS));
static AMOUNT_STEMS: StemSet = StemSet::new(|| stems(AMOUNT_NOUNS));
static MEASURE_STEMS: StemSet = StemSet::new(|| stems(MEASURE_NOUNS));

/// Attributes of Chinese and Japanese that have one value at a time.
#[rustfmt::skip]
const UNSEGMENTED_ATTRIBUTES: &[&str] = &[
    "负责人", "经理", "老板", "上司", "主管", "组长", "队长", "教练", "老师", "医生", "房东",
    "名字", "密码", "电话", "号码", "地址", "邮箱", "版本", "端口", "生日", "血型", "体重", "身高",
    "预算", "价格", "房租", "工资", "时间", "日期", "地点", "颜色", "语言", "框架", "供应商",
    "联系人", "大小", "数量", "上限", "担当者", "住所", "電話番号", "締め切り",
];

/// Words for whoever is meant anyway.
#[rustfmt::skip]
const ANYBODY: &[&str] = &[
    "staff", "employee", "user", "family", "everyone", "everybody", "people", "person", "member",
    "client", "customer", "household", "folks", "rep", "firm", "mitarbeiter", "nutzer", "leute",
    "familie",
    "casa", "maison", "hause", "usuario", "empleado", "gente", "familia", "utilisateur",
    "employé", "famille",
];

/// Nouns that only say that a date follows.
#[rustfmt::skip]
const DATE_NOUNS: &[&str] = &[
    "date", "day", "first", "1st", "deadline", "due", "termin", "datum", "tag", "fecha", "día",
    "jour", "cutoff",
    "abgabetermin", "abgabefrist", "liefertermin", "startdatum", "enddatum", "stichtag", "échéance",
    "vencimiento", "plazo",
];

/// Nouns that only say that a time of day follows.
#[rustfmt::skip]
const TIME_NOUNS: &[&str] = &["time", "hour", "uhrzeit", "zeit", "hora", "heure"];

/// Nouns that only say that an amount of money follows.
#[rustfmt::skip]
const MONEY_NOUNS: &[&str] = &[
    "price", "cost", "fee", "amount", "bill", "total", "charge", "rate", "preis", "kosten",
    "gebühr", "rechnung", "precio", "coste", "cuota", "factura", "prix", "coût", "facture",
    "tarif", "subscription", "spending", "stundensatz", "tagessatz", "stundenlohn", "monatsmiete",
    "kaltmiete", "monatsgebühr", "taux", "horaire", "honorarios",
];

/// Nouns that only say that a number follows.
#[rustfmt::skip]
const AMOUNT_NOUNS: &[&str] = &[
    "amount", "number", "count", "size", "length", "duration", "interval", "limit", "max",
    "maximum", "min", "minimum", "threshold", "total", "value", "level", "rate", "period", "dose",
    "dosage", "capacity", "anzahl", "dauer", "länge", "größe", "grenze", "número", "cantidad",
    "duración", "límite", "nombre", "durée", "taille", "limite", "seuil", "target", "time",
];

/// Nouns of which the number behind them is the amount.
#[rustfmt::skip]
const MEASURE_NOUNS: &[&str] = &[
    "max", "maximum", "min", "minimum", "length", "size", "limit", "width", "height", "weight",
    "age", "budget", "price", "fee", "dose", "timeout", "threshold", "salary", "rent", "quota",
];
