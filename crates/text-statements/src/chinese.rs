//! Statements in Chinese, by the characters that open them.

use crate::user_statement::UserStatementKind as Kind;

/// Words before a statement.
const LEAD_INS: &[&str] =
    &["另外", "对了", "顺便说一下", "好的", "谢谢", "，", ",", "：", ":", "。", "！", " ", "请"];
/// Requests to remember what follows.
const REMEMBER: &[&str] = &["请记住", "记住", "记一下", "请记下", "别忘了", "备忘", "帮我记住"];
/// Remarks that something was wrong.
const WRONG: &[&str] = &["不对", "更正", "纠正一下", "你错了", "其实"];
/// Openings of statements, by kind.
const OPENINGS: &[(Kind, &[&str])] = &[
    (
        Kind::Rule,
        &[
            "以后",
            "从现在开始",
            "从现在起",
            "今后",
            "永远不要",
            "千万不要",
            "始终",
            "一律",
            "在这个项目里",
            "本项目",
        ],
    ),
    (
        Kind::Decision,
        &[
            "我们决定",
            "团队决定",
            "最终决定",
            "我们选择了",
            "我们选了",
            "我们改用",
            "我们采用",
            "我们不再",
            "我决定",
        ],
    ),
    (
        Kind::Preference,
        &["我更喜欢", "我喜欢", "我不喜欢", "我讨厌", "我偏好", "我偏爱", "我习惯", "我最喜欢"],
    ),
    (
        Kind::Fact,
        &[
            "我叫",
            "我的名字",
            "我住在",
            "我来自",
            "我对",
            "我不吃",
            "我不喝",
            "我的生日",
            "我的时区",
            "我女儿",
            "我儿子",
            "我妻子",
            "我丈夫",
            "我太太",
            "我先生",
            "我老板",
            "我们公司",
            "我们团队",
            "我们使用",
            "我们用的是",
            "我们的",
            "我是一名",
            "我是一个",
            "我在",
        ],
    ),
];
/// Characters that make a sentence doubtful.
const DOUBTFUL: &[&str] = &[
    "吗",
    "呢",
    "？",
    "?",
    "为什么",
    "怎么",
    "如果",
    "也许",
    "可能",
    "是不是",
    "要不要",
    "假设",
    "假如",
    "好像",
    "还是报错",
    "报错",
    "调试",
    "这个",
    "那个",
    "这样",
    "今天",
    "刚才",
    "现在正",
    "正在",
    "密码",
    "密钥",
    "说",
    "还记得",
    "什么",
];
/// Length of a statement in characters.
const CHARS: std::ops::RangeInclusive<usize> = 4..=80;

/// Returns the kind of a sentence and where its statement starts, in bytes.
pub(crate) fn classify(sentence: &str) -> Option<(Kind, usize)> {
    let mut start = 0;
    let (mut is_request, mut is_correction) = (false, false);
    loop {
        let rest = &sentence[start..];
        let opens = |list: &[&str]| {
            list.iter().find(|word| rest.starts_with(**word)).map(|word| word.len())
        };
        if let Some(length) = opens(REMEMBER) {
            is_request = true;
            start += length;
        } else if let Some(length) = opens(WRONG) {
            is_correction = true;
            start += length;
        } else if let Some(length) = opens(LEAD_INS) {
            start += length;
        } else {
            break;
        }
    }
    let rest = sentence[start..].trim_end_matches(['。', '！', '.', '!', ' ']);
    if !CHARS.contains(&rest.chars().count()) || DOUBTFUL.iter().any(|word| rest.contains(word)) {
        return None;
    }
    let opened = OPENINGS.iter().find(|(_, words)| words.iter().any(|word| rest.starts_with(word)));
    let kind = match opened {
        Some((Kind::Fact, _)) if rest.starts_with("我对") && !rest.contains("过敏") => None,
        Some((Kind::Fact, _)) if rest.starts_with("我在") && !is_workplace(rest) => None,
        Some((Kind::Fact, _)) if is_correction => Some(Kind::Correction),
        Some((kind, _)) => Some(*kind),
        None if is_request => Some(Kind::Fact),
        None if is_correction && rest.contains("不是") => Some(Kind::Correction),
        None => None,
    };
    kind.map(|kind| (kind, start))
}

fn is_workplace(rest: &str) -> bool {
    ["工作", "上班", "做", "读书", "上学"].iter().any(|word| rest.contains(word))
}

/// Returns true if a sentence is mostly written in Chinese characters.
pub(crate) fn is_chinese(sentence: &str) -> bool {
    let is_han = |c: &char| matches!(*c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}');
    sentence.chars().filter(is_han).count() >= 3
}
