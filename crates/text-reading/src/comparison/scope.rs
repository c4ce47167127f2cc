//! Days, directions and things for which two statements hold: "on weekdays" and "on Sundays", "the
//! flight to Oslo" and "the flight back from Oslo" are two things with a value each.

use super::decide::StatementPair;
use super::exchange::is_purpose_word;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

impl StatementPair<'_> {
    /// Returns true if both hold for other days, directions or things, and nothing tells of a
    /// change.
    pub fn scopes_differ(&self) -> bool {
        let told = self.later.changed || self.later.contrast;
        let apart = || self.days_differ() || self.day_parts_differ() || self.directions_differ();
        !told && (apart() || self.labels_differ())
    }

    /// Returns true if one holds on weekdays or weekends, and the other on other days, with a value
    /// of its own.
    fn days_differ(&self) -> bool {
        let (left, right) = (days(self.earlier), days(self.later));
        let several = |days: &[&str]| days.iter().any(|day| is_several_days(day));
        let apart = left.iter().all(|day| !right.contains(day));
        let timed = |one: &Statement| one.has_value(ValueType::TimeOfDay);
        let valued = |one: &Statement| timed(one) || one.has_value(ValueType::Quantity);
        !left.is_empty()
            && !right.is_empty()
            && apart
            && (several(&left) || several(&right))
            && valued(self.earlier)
            && valued(self.later)
    }

    /// Returns true if each has an amount for another part of the day: "20 mg in the morning".
    fn day_parts_differ(&self) -> bool {
        let amount = |one: &Statement| {
            one.has_value(ValueType::Quantity) && !one.has_value(ValueType::TimeOfDay)
        };
        let part = |one: &'_ Statement| {
            let named = |token: &&Token| {
                matches!(&*token.word, "morning" | "afternoon" | "evening" | "night" | "noon")
                    || matches!(&*token.word, "morgens" | "abends" | "mittags" | "nachts")
            };
            one.tokens.iter().find(named).map(|token| token.word.clone())
        };
        let differ = part(self.earlier).zip(part(self.later)).is_some_and(|(one, two)| one != two);
        differ && amount(self.earlier) && amount(self.later)
    }

    /// Returns true if each has another value for another of several things: "30 days for tenant
    /// Alpha", "90 days for tenant Beta".
    fn labels_differ(&self) -> bool {
        let differ = labels(self.earlier).any(|(noun, label)| {
            labels(self.later).any(|(same, other)| noun.key == same.key && label.key != other.key)
        });
        differ && self.overlap().values_differ()
    }

    /// Returns true if one leads to a place from which the other leads away.
    fn directions_differ(&self) -> bool {
        let opposite = |one: &str, other: &str| {
            matches!((one, other), ("to", "from") | ("from", "to") | ("nach", "von" | "aus"))
                || matches!((one, other), ("von" | "aus", "nach"))
                || matches!((one, other), ("in" | "inside", "outside") | ("before", "after"))
                || matches!((one, other), ("outside", "in" | "inside") | ("after", "before"))
        };
        places(self.earlier).any(|(one, place)| {
            places(self.later).any(|(other, same)| place.key == same.key && opposite(one, other))
        })
    }
}

fn is_several_days(word: &str) -> bool {
    matches!(word.trim_end_matches('s'), "weekday" | "weekend" | "workday" | "werktag")
        || matches!(word, "wochentags" | "wochenende")
}

/// Returns the days on which a statement holds, in the words that name them.
fn days(statement: &Statement) -> Vec<&str> {
    let day = |token: &&Token| {
        token.value_type() == Some(ValueType::Weekday) || is_several_days(&token.word)
    };
    statement.tokens.iter().filter(day).map(|token| token.word.trim_end_matches('s')).collect()
}

/// Iterates over the words behind a preposition.
fn places(statement: &Statement) -> impl Iterator<Item = (&str, &Token)> {
    let pairs = statement.tokens.windows(2).filter(|two| {
        two[0].class == TokenClass::Preposition
            && two[1].class == TokenClass::Content
            && !two[1].possessive
    });
    pairs.map(|two| (&*two[0].word, &two[1]))
}

/// Iterates over nouns that say what something is for, with the word behind each.
fn labels(statement: &Statement) -> impl Iterator<Item = (&Token, &Token)> {
    let named = |token: &Token| token.class == TokenClass::Content && !token.verb;
    let phrases = statement.tokens.windows(3).filter(move |three| {
        is_purpose_word(&three[0].word) && named(&three[1]) && named(&three[2])
    });
    phrases.map(|three| (&three[1], &three[2]))
}

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn another_scope_is_no_change() {
        for (earlier, later) in [
            ("The gym closes at 22:00 on weekdays.", "The gym closes at 20:00 on Sundays."),
            ("My flight to Oslo leaves at 9:40.", "My flight back from Oslo leaves at 18:20."),
            ("Ana takes 20 mg in the morning.", "Ana takes 10 mg in the evening."),
            ("Max speed is 30 km/h in town.", "Max speed is 100 km/h outside town."),
            (
                "Our retention is 30 days for tenant Alpha",
                "Our retention is 90 days for tenant Beta",
            ),
            ("Die Frist ist 3 Tage für Kunde Rot.", "Die Frist ist 9 Tage für Kunde Blau."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
        let same =
            ("Retention is 30 days for tenant Alpha", "Retention is 90 days for tenant Alpha");
        assert_eq!(compare(same.0, same.1).relation, R::ChangedValue);
    }
}
