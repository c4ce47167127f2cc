//! Entity kinds of everyday nouns. A word that is not listed has no known kind; nothing is guessed
//! from its spelling.

use crate::terms::{light_stem, term};

/// Returns the entity kind of a phrase, by its last known word.
pub(super) fn entity_kind_of_phrase(phrase: &str) -> Option<&'static str> {
    let words: Vec<_> = phrase.split_whitespace().map(term).collect();
    let lists: [(&'static str, &[&str]); 4] =
        [("food", FOODS), ("activity", ACTIVITIES), ("media", MEDIA), ("place", PLACES)];
    words.iter().rev().find_map(|word| {
        lists.iter().find(|(_, list)| contains_form(list, word)).map(|(kind, _)| *kind)
    })
}

/// Returns true if a phrase contains a common noun for a place.
pub(super) fn is_place(phrase: &str) -> bool {
    phrase.split_whitespace().any(|word| contains_form(PLACES, &term(word)))
}

/// Returns the entity kind that a word of a question asks for: `foods`, `dish`, `people`,
/// `company`.
#[must_use]
pub fn entity_kind_of_word(word: &str) -> Option<&'static str> {
    let word = term(word);
    KIND_NOUNS
        .iter()
        .find(|(name, _)| *name == word || light_stem(name) == light_stem(&word))
        .map(|(_, kind)| *kind)
}

/// Uses of media: a film that was watched is no answer to a question about books.
pub const MEDIA_USES: [&str; 3] = ["read", "watch", "listen"];

/// Returns the use of the media that a word names: `books`, `film`, `albums`.
#[must_use]
pub fn media_use_of_word(word: &str) -> Option<&'static str> {
    let word = term(word);
    let singular = word.strip_suffix('s').unwrap_or(&word);
    let is_word = |name: &str| name == singular || light_stem(name) == light_stem(&word);
    let is_listed = |list: &[&str]| list.iter().any(|name| is_word(name));
    let lists: [(&'static str, &[&str]); 3] = [
        ("read", &["book", "novel", "reading", "article", "comic"]),
        ("watch", &["movie", "film", "show", "series", "documentary"]),
        ("listen", &["music", "song", "band", "album", "podcast"]),
    ];
    lists.iter().find(|(_, list)| is_listed(list)).map(|(name, _)| *name)
}

/// Returns the use that a verb states.
pub(super) fn media_use_of_verb(base: &str) -> Option<&'static str> {
    MEDIA_USES.into_iter().find(|name| *name == base)
}

fn contains_form(list: &[&str], word: &str) -> bool {
    list.iter()
        .any(|known| *known == word || (word.len() > 3 && light_stem(known) == light_stem(word)))
}

#[rustfmt::skip]
const KIND_NOUNS: &[(&str, &str)] = &[
    ("food", "food"), ("dish", "food"), ("meal", "food"), ("drink", "food"), ("cuisine", "food"),
    ("snack", "food"), ("fruit", "food"), ("dessert", "food"), ("people", "person"),
    ("person", "person"), ("friend", "person"), ("colleague", "person"), ("place", "place"),
    ("city", "place"), ("country", "place"), ("restaurant", "place"), ("location", "place"),
    ("town", "place"), ("company", "organization"), ("organization", "organization"),
    ("organisation", "organization"), ("school", "organization"), ("university", "organization"),
    ("employer", "organization"), ("book", "media"), ("movie", "media"), ("film", "media"),
    ("show", "media"), ("series", "media"), ("music", "media"), ("song", "media"),
    ("band", "media"), ("album", "media"), ("media", "media"), ("podcast", "media"),
    ("activity", "activity"), ("sport", "activity"), ("hobby", "activity"),
    ("exercise", "activity"), ("game", "activity"), ("medication", "medication"),
    ("medicine", "medication"), ("drug", "medication"), ("pill", "medication"),
    ("prescription", "medication"), ("topic", "topic"), ("subject", "topic"), ("event", "event"),
];

#[rustfmt::skip]
const FOODS: &[&str] = &[
    "food", "sushi", "ramen", "pizza", "pasta", "spaghetti", "lasagna", "noodles", "rice", "bread",
    "cheese", "salad", "soup", "burger", "burgers", "fries", "steak", "chicken", "beef", "pork",
    "lamb", "fish", "salmon", "tuna", "shrimp", "seafood", "tofu", "curry", "tacos", "taco",
    "burrito", "nachos", "sandwich", "bagel", "croissant", "pancakes", "waffles", "omelette", "egg",
    "bacon", "sausage", "ham", "chocolate", "cake", "pie", "cookie", "brownie", "donut", "icecream",
    "ice-cream", "cream", "yogurt", "butter", "milk", "honey", "jam", "cereal", "oatmeal",
    "porridge", "muesli", "granola", "apple", "banana", "orange", "grape", "mango", "pineapple",
    "strawberry", "blueberry", "raspberry", "cherry", "peach", "pear", "plum", "kiwi", "melon",
    "watermelon", "avocado", "olive", "tomato", "potato", "carrot", "onion", "garlic", "broccoli",
    "spinach", "cabbage", "mushroom", "pepper", "cucumber", "lettuce", "corn", "pea", "lentil",
    "chickpea", "hummus", "falafel", "nut", "peanut", "almond", "walnut", "cashew", "hazelnut",
    "coffee", "espresso", "cappuccino", "latte", "tea", "matcha", "water", "juice", "soda", "cola",
    "lemonade", "beer", "wine", "whisky", "whiskey", "vodka", "gin", "rum", "cocktail", "kombucha",
    "smoothie", "breakfast", "lunch", "dinner", "brunch", "dessert", "gluten", "dairy", "lactose",
    "shellfish", "cilantro", "coriander", "basil", "cinnamon", "ginger", "chili", "kimchi",
    "dumpling", "gyoza", "dimsum", "pho", "paella", "risotto", "gnocchi", "pesto", "pretzel",
    "schnitzel", "goulash", "pierogi", "kebab", "shawarma", "biryani", "naan", "samosa", "tempura",
    "teriyaki", "udon", "soba", "mochi", "tiramisu", "gelato", "macaroni", "quinoa", "couscous",
    "tortilla", "salsa", "guacamole", "ketchup", "mayonnaise", "mustard", "liquorice", "licorice",
    "marzipan", "popcorn", "chips", "crisps", "cracker", "oyster", "mussel", "clam", "crab",
    "lobster", "anchovy", "sardine", "eggplant", "aubergine", "zucchini", "beet", "celery",
    "asparagus", "artichoke",
];

#[rustfmt::skip]
const ACTIVITIES: &[&str] = &[
    "running", "jogging", "walking", "hiking", "swimming", "cycling", "biking", "climbing",
    "bouldering", "skiing", "snowboarding", "surfing", "sailing", "rowing", "kayaking", "yoga",
    "pilates", "gym", "tennis", "football", "soccer", "basketball", "volleyball", "badminton",
    "squash", "golf", "hockey", "baseball", "cricket", "rugby", "boxing", "judo", "karate", "chess",
    "poker", "gardening", "cooking", "baking", "painting", "drawing", "knitting", "photography",
    "fishing", "camping", "dancing", "singing", "reading", "writing", "travelling", "traveling",
    "gaming", "meditation", "guitar", "piano", "violin", "drums", "cello", "flute", "woodworking",
    "pottery",
];

#[rustfmt::skip]
const MEDIA: &[&str] = &[
    "music", "jazz", "blues", "rock", "opera", "techno", "podcast", "podcasts", "movies", "films",
    "novels", "books", "poetry", "anime", "manga", "comics", "documentaries", "thrillers", "sci-fi",
    "musicals",
];

#[rustfmt::skip]
const PLACES: &[&str] = &[
    "park", "gym", "beach", "river", "riverside", "lake", "forest", "woods", "pool", "track",
    "stadium", "studio", "mountains", "hills", "restaurant", "cafe", "café", "bakery", "market",
    "supermarket", "mall", "library", "museum", "garden", "bar", "pub", "canteen", "office",
    "school", "university", "club", "promenade", "harbour", "harbor", "seaside", "countryside",
    "downtown",
];
