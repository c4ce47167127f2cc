//! Regions that contain other places: living in Berlin does not exclude living in Germany. A list
//! of the larger ones is enough, since a missed region only means that a person is asked.

use crate::word_list::WordList;

/// Returns true if `name` is a country, a continent or a union of countries rather than a town.
pub(super) fn is_region(name: &str) -> bool {
    REGIONS.contains(&name.to_lowercase())
}

#[rustfmt::skip]
static REGIONS: WordList = WordList::new(&[
    "africa", "albania", "algeria", "america", "argentina", "asia", "australia", "austria",
    "bangladesh", "bavaria", "belgium", "bolivia", "brazil", "britain", "bulgaria", "california",
    "cambodia", "canada", "catalonia", "chile", "china", "colombia", "costa rica", "croatia",
    "cuba", "cyprus", "czechia", "denmark", "ecuador", "egypt", "england", "estonia", "ethiopia",
    "eu", "europe", "finland", "florida", "france", "georgia", "germany", "ghana", "greece",
    "guatemala", "hungary", "iceland", "india", "indonesia", "iran", "iraq", "ireland", "israel",
    "italy", "jamaica", "japan", "jordan", "kenya", "korea", "latvia", "lebanon", "lithuania",
    "luxembourg", "malaysia", "malta", "mexico", "moldova", "morocco", "nepal", "netherlands",
    "new zealand", "nigeria", "norway", "ontario", "pakistan", "paraguay", "peru", "philippines",
    "poland", "portugal", "quebec", "romania", "russia", "saudi arabia", "scandinavia", "scotland",
    "senegal", "serbia", "slovakia", "slovenia", "south africa", "south america", "south korea",
    "spain", "sweden", "switzerland", "taiwan", "tanzania", "texas", "thailand", "tunisia",
    "turkey", "uganda", "uk", "ukraine", "united kingdom", "united states", "uruguay", "us", "usa",
    "venezuela", "vietnam", "wales",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_a_region_and_a_town_is_none() {
        assert!(is_region("Germany") && !is_region("Berlin"));
    }
}
