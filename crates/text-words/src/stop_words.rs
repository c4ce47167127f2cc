//! Stop words: so common that they say little about a text. They are indexed all the same and only
//! weighted less. One list for the search and for reading; the few words on which they disagree are
//! listed beside it.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns true if the term is a stop word of the search, in any of its languages.
#[must_use]
pub fn is_stop_word(term: &str) -> bool {
    if term.is_ascii() {
        is_english(term) || is_further_in_search(term)
    } else {
        is_other_script(term)
    }
}

/// Returns true if a lower-cased word is an English function word: it names nothing and no topic.
/// Other than in a search, a word that turns a sentence around (`never`, `without`, `must`) is one
/// too. Contractions count as the word before the apostrophe.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    match word.rsplit_once('\'') {
        None => is_english(word) || is_further_in_reading(word),
        // The list spells "don't" as the tokens of the search do.
        Some((base, "t")) => is_english(&format!("{base}t")),
        Some((base, "d" | "ll" | "m" | "re" | "ve")) => is_english(base),
        Some(_) => false,
    }
}

// Every word of every text is looked up here, and a match compares lengths first: 40 ns a word over
// all lists, where a table by first byte took 50.
#[rustfmt::skip]
pub(crate) fn is_english(term: &str) -> bool {
    matches!(term,
        "a" | "about" | "after" | "again" | "all" | "also" | "am" | "an" | "and" | "any" | "are" |
        "arent" | "as" | "at" | "be" | "because" | "been" | "before" | "being" | "but" | "by" |
        "can" | "cant" | "could" | "couldnt" | "did" | "didnt" | "do" | "does" | "doesnt" |
        "doing" | "dont" | "during" | "each" | "else" | "ever" | "for" | "from" | "had" | "hadnt" |
        "has" | "hasnt" | "have" | "havent" | "having" | "he" | "her" | "here" | "hers" | "him" |
        "his" | "how" | "i" | "if" | "in" | "into" | "is" | "isnt" | "it" | "its" | "just" | "me" |
        "might" | "mine" | "my" | "no" | "nor" | "not" | "of" | "on" | "only" | "or" | "our" |
        "ours" | "out" | "own" | "same" | "shall" | "she" | "should" | "shouldnt" | "so" | "some" |
        "such" | "than" | "that" | "the" | "their" | "theirs" | "them" | "then" | "there" |
        "these" | "they" | "this" | "those" | "through" | "to" | "too" | "until" | "up" | "us" |
        "very" | "was" | "wasnt" | "we" | "were" | "werent" | "what" | "when" | "where" | "which" |
        "while" | "who" | "whom" | "whose" | "why" | "will" | "with" | "wont" | "would" |
        "wouldnt" | "you" | "your" | "yours")
}

/// Further function words, which a search weighs like any other word.
#[rustfmt::skip]
fn is_further_in_reading(term: &str) -> bool {
    matches!(term,
        "cannot" | "done" | "down" | "herself" | "himself" | "itself" | "let" | "may" | "must" |
        "myself" | "neither" | "never" | "off" | "onto" | "ourselves" | "over" | "themselves" |
        "under" | "without" | "yourself" | "yourselves")
}

/// Further stop words of the search: a few English ones, and German, Spanish, French, Italian and
/// Portuguese ones that are not English content words.
#[rustfmt::skip]
fn is_further_in_search(term: &str) -> bool {
    matches!(term,
        "auf" | "avec" | "che" | "com" | "con" | "dans" | "das" | "de" | "del" | "dem" | "der" |
        "des" | "du" | "ein" | "eine" | "el" | "els" | "es" | "est" | "et" | "ich" | "ihr" | "il" |
        "ist" | "je" | "las" | "le" | "les" | "mit" | "most" | "nicht" | "nous" | "once" | "other" |
        "para" | "pas" | "please" | "por" | "pour" | "que" | "qui" | "sie" | "und" | "une" | "uno" |
        "von" | "vous" | "wie" | "wir" | "zu")
}

/// Stop words in other scripts, and accented ones that hardly any text uses otherwise. A word of
/// these scripts cannot be mistaken for one of another language.
fn is_other_script(term: &str) -> bool {
    OTHER_SCRIPTS.contains(term)
}

static OTHER_SCRIPTS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = ["für über à où é", RUSSIAN, ARABIC, HINDI, CHINESE, JAPANESE, KOREAN];
    lists.into_iter().flat_map(str::split_whitespace).collect()
});

// Folded as the tokens are: ё is е.
const RUSSIAN: &str = "\
а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для \
до его ее если есть еще же за здесь и из или им их к как какая какие каким каких какого какое \
какой каком какую ко когда кого кому которая которое которые который кто куда ли либо между меня \
мне много может мой моя мы на над надо наш не него нее нет ни них но ну о об однако он она они \
оно от откуда очень по под почему при про с сам свое своей свой свою себя сколько со так также \
такой там те тем то того тоже той только том ты у уже чего чей чем через что чтобы чье чья эта \
эти это этого этой этом этот я";

// Folded as the tokens are: without hamza seats, and with the simple forms of ya and ha.
const ARABIC: &str = "\
و في من علي الي عن ما هل ان او ثم لم لن لا هو هي هم نحن انا انت هذا هذه ذلك تلك الذي التي الذين \
مع كان كانت يكون قد كل بعد قبل بين عند حتي كما لكن ماذا متي اين كيف كم لماذا اي ايه منذ حول الا \
اذا به بها له لها فيها فيه منها عليه عليها";

const HINDI: &str = "\
का के की को में है हैं से और पर ने एक यह वह ये वे कि जो तो ही भी था थी थे हो होता होती होते कर \
करने किया किस किसने किसे किसका किसकी क्या कौन कौनसा कब कहाँ कहां क्यों कैसे कितना कितने कितनी \
लिए गया गई गए इस उस इन उन अपने अपनी अपना साथ तक या द्वारा बाद नहीं मैं हम आप मेरा मेरी";

const CHINESE: &str = "\
的 了 是 在 我 有 不 和 也 吗 呢 什么 哪些 哪个 哪里 哪儿 哪一 多少 如何 为什 么时 怎么 怎样 是谁 谁是 何时 是什 的是 是多 在哪 我的 我们 什麼 哪裡 為什 怎麼";

const JAPANESE: &str = "\
の は が を に で と も た て し だ か れ る い な です ます ました ますか した して する ある いる から まで こと もの これ それ どこ いつ どの なに 何が \
何を 何で だれ 誰が どう なぜ ので んで った ってい てい いま すか";

const KOREAN: &str = "\
은 는 이 가 을 를 에 의 도 무엇 어디 언제 누구 어떤 어느 입니 니다 습니 니까 했습 하는 에서 으로 이다 것은 나요 인가 가요 까요 는가";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_are_function_words_and_possessives_are_not() {
        for word in ["don't", "won't", "i'm", "they've", "she'll", "you're", "never", "the"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["ana's", "o'reilly", "port", "most", "der", "t", "'t", ""] {
            assert!(!is_function_word(word), "{word}");
        }
    }

    #[test]
    fn the_search_has_other_languages_and_weighs_negations_in_full() {
        for word in ["the", "dont", "most", "der", "für", "и", "的"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["never", "without", "must", "may"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
