//! Openings of statements in English.

/// Openings of standing rules. What follows is an order.
#[rustfmt::skip]
pub(crate) const RULES: &[&str] = &[
    "from now on", "going forward", "in ?the future", "as a rule", "by default", "from here on",
    "from today on", "henceforth",
    "whenever you", "every time you", "each time you", "always when you",
    "when you .. always|never",
    "when you .. .. always|never", "when writing|editing|adding|committing .. always|never|use",
    "you should|must|may ?also always|never", "you have to always", "you are never|always to",
    "i ?always want|need|expect you to always|never", "i would like you to always|never",
    "i always|never want you to", "do not ever", "never ever", "make sure to always|never",
    "in this|our project|repo|repository|codebase|team|company ?we ?please always|never|use|do_not",
    "for this|our project|repo|repository|codebase ?we ?please always|never|use",
];
/// Openings of orders that are a rule only with a word of extent.
#[rustfmt::skip]
pub(crate) const ORDERS: &[&str] =
    &["do not", "avoid", "never", "stop", "use", "write", "keep", "put"];
/// Words of extent.
#[rustfmt::skip]
pub(crate) const EXTENT: &[&str] = &[
    "anywhere", "everywhere", "ever", "in this|our|the project|repo|repository|codebase|monorepo",
    "without asking", "in any", "in all", "for all", "in every", "for every", "in general",
    "for each", "without my", "at all times", "under any circumstances",
];
/// Words after "always" or "never" that make no order of it.
#[rustfmt::skip]
pub(crate) const NO_ORDER: &[&str] = &[
    "mind", "been", "had", "seen", "heard", "got", "knew", "thought", "saw", "again", "ever", "a",
    "the", "in", "on", "at", "was", "were", "is", "are", "has", "have", "it", "this", "that", "to",
    "my", "your", "i", "we", "he", "she", "they", "not", "so", "too", "very", "more", "wanted",
    "works", "said", "did", "does", "came", "went", "gonna", "going", "happy", "nice", "good",
    "look", "visible", "available", "true", "false", "null", "empty", "late", "fun", "when", "if",
];
/// Openings of decisions.
#[rustfmt::skip]
pub(crate) const DECISIONS: &[&str] = &[
    "we|the_team|our_team|everyone ?have|has ?all ?now ?just ?finally decided|agreed to|on|that|\
     against|for|with",
    "we ?all agreed", "we are ?now|not going with", "we are ?now|all|not sticking|staying with|on",
    "we are ?now|all|gradually moving|switching|migrating from|to|away|off|over",
    "we are ?now dropping|adopting|standardizing|standardising|retiring|replacing",
    "we ?have ?finally|now chose|chosen|picked|settled_on|opted_for|selected|went_with|adopted",
    "we will not|never|no_longer", "we will go_with|use|keep|drop|host|support|switch|move|stay",
    "we no longer", "we have dropped|abandoned|retired|stopped_using",
    "we stopped using|supporting",
    "i ?have ?now|finally decided to|on|that|against", "i have settled on", "i ?have chose|chosen",
    "let us ?all ?just go_with|stick_with|stay_with|standardize_on|settle_on|adopt",
];
/// Openings of proposals that are a decision only with a word of extent.
pub(crate) const PROPOSED: &[&str] = &["let us use", "we will use"];
/// Openings of preferences.
#[rustfmt::skip]
pub(crate) const PREFERENCES: &[&str] = &[
    "i|we ?really|strongly|generally|usually|much|personally|always|also|definitely|\
     clearly prefer that you",
    "i|we ?really|strongly|generally|usually|much|personally|always|also|definitely|clearly prefer",
    "my .. preference is", "my .. preferences are", "my favourite|favorite .. is|are",
    "i would|will rather have|use|get|see|read|work|keep", "i am not a ?big|huge fan of",
    "i am a ?big|huge fan of", "i like|want|take|drink my", "i always want|use|take|order|buy",
    "i never want|use|eat|drink|take|buy|order",
];
/// Openings of what somebody likes, which are about the matter at hand as often as not.
#[rustfmt::skip]
pub(crate) const TASTES: &[&str] = &[
    "i ?really|also|generally like|love|hate|dislike|enjoy", "i do not ?really like|enjoy|want",
    "i can not stand",
];
/// Words after those that mean the matter at hand.
#[rustfmt::skip]
pub(crate) const AT_HAND: &[&str] = &[
    "the", "a", "an", "to", "you", "if", "being_asked", "any", "such", "another", "seeing",
];
/// Openings of facts about the user and the team.
#[rustfmt::skip]
pub(crate) const FACTS: &[&str] = &[
    "my ?full|first|last|middle|nick name is", "my .. 's name is",
    "my wife's|husband's|son's|daughter's|partner's|dog's|cat's|sister's|brother's|mother's|\
     father's|boss's|manager's name is",
    "my ?new|old|current|main|home|work|personal|elder|older|younger|little|big name|nickname|\
     birthday|email|e-mail|phone|number|address|timezone|time_zone|pronouns|job|role|employer|\
     company|team|manager|boss|wife|husband|partner|girlfriend|boyfriend|fiancé|fiancée|son|\
     daughter|kid|kids|children|mother|father|mom|mum|dad|sister|brother|dog|cat|doctor|dentist|\
     landlord|hometown|native_language|mother_tongue|diet|height|weight|shoe_size|blood_type|\
     car|editor|shell|laptop|keyboard|workstation|github_handle|username|desk|accountant|lawyer|\
     therapist|school|university is|are|has|have|lives|works|runs|speaks|prefers|goes",
    "i am allergic|intolerant to",
    "i am ?a|an ?strict|lifelong vegetarian|vegan|pescatarian|left-handed|right-handed|\
     colour-blind|color-blind|colorblind|diabetic|dyslexic|deaf|blind|married|divorced|single|\
     pregnant|retired|self-employed|freelancer|lactose|gluten|coeliac|celiac|muslim|jewish|\
     catholic|introvert",
    "i am based|located|born|raised in", "i am from", "i am originally from", "i am studying",
    "i am responsible for", "i am in charge of", "i am new to", "i am .. years old",
    "i am the tech|team|engineering|product|only|lead|main|owner|maintainer|cto|ceo|founder|\
     author|head|admin",
    "i live|reside in|near|with|on|alone",
    "i work at|for|as|in|from|remotely|part-time|full-time|freelance|night|nights",
    "i was born|raised in|on", "i grew up in", "i ?have ?just ?recently moved to", "i speak",
    "i study",
    "i have a|an|one|two|three|four|five|no|several ?small|young|little|old kids|children|son|\
     sons|daughter|daughters|dog|dogs|cat|cats|brother|brothers|sister|sisters|wife|husband|\
     allergy|degree|phd|masters|horse|twins|grandchildren",
    "i have diabetes|asthma|adhd|dyslexia|celiac|coeliac|epilepsy|migraines|insomnia",
    "i do not eat|drink|smoke|drive|speak|own|celebrate", "i drive|own a|an", "i play the|in",
    "i go by", "i run|manage|own|lead a|an|the .. shop|team|company|business|group|department",
    "our|my_company's .. is|are|has|runs|uses|lives|starts|requires|supports|ships|closes|opens",
    "we always|never|only|usually",
    "we deploy|ship|release|host|bill|invoice|publish|meet|store|follow|support|write|name|\
     version|tag|branch",
    "we do not use|support|ship|deploy|do|allow", "we use", "we are a|an|on|based",
    "all|every .. ?must|should start|starts|end|ends|live|lives|use|uses|go|goes|run|runs|have|has",
];
/// Openings with what somebody is, of which many are jokes and moods.
pub(crate) const BEING: &[&str] = &["i am a|an"];
/// Words after those that are no role.
#[rustfmt::skip]
pub(crate) const NO_ROLE: &[&str] = &[
    "bit", "little", "tad", "lot", "idiot", "moron", "fool", "dummy", "genius", "fan", "customer",
    "huge", "big", "total", "complete", "mess", "pirate", "user", "wreck", "sucker", "robot",
];
/// Conditions of the moment, after "our … is".
#[rustfmt::skip]
pub(crate) const CONDITIONS: &[&str] = &[
    "broken", "failing", "down", "slow", "red", "green", "stuck", "late", "gone", "wrong", "flaky",
    "empty", "missing", "blocked", "behind", "busy", "dying", "dead", "not working", "working",
    "crashing", "outdated", "a mess", "full", "up", "ready", "done", "green", "out of", "annoying",
    "kaputt", "rot", "roto", "lento", "cassé", "lent",
];
