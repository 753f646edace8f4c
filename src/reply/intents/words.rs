//! Brings an utterance into the form the phrasings are written in.
//!
//! PURE. Lower case, no punctuation, contractions written out, "%" as a word, words of degree ("a bit")
//! dropped, an utterance that was said several times kept once.

/// No quick command is longer; chit-chat often is.
const MOST_WORDS: usize = 20;

/// Words of degree, wherever they stand.
const DEGREES: [&str; 7] = ["a little bit", "a little", "a bit", "a lot", "a notch", "slightly", "somewhat"];

/// What she may be called, also as recognisers write it, in front of a command and behind it.
const NAMES: [&str; 7] = ["joi", "joy", "jarvis", "alexa", "mycroft", "nabu", "computer"];

/// Politeness and hesitation in front of a command, however short the command is.
const BEFORE: [&str; 41] = [
    "please",
    "hey",
    "hi",
    "hello",
    "ok",
    "okay",
    "oh",
    "um",
    "uh",
    "hmm",
    "er",
    "yes",
    "yeah",
    "can you",
    "could you",
    "would you",
    "will you",
    "can you please",
    "excuse me",
    "ah",
    "alright",
    "all right",
    "i am sorry",
    "i want you to",
    "i would like you to",
    "i need you to",
    "do me a favor and",
    "do me a favour and",
    "be so kind and",
    "would you be so kind and",
    "would you be so kind to",
    "would you be so kind as to",
    "would you kindly",
    "kindly",
    "can you just",
    "could you just",
    "would you just",
    "will you just",
    "please just",
    "go ahead and",
    "quick question",
];

/// The same, only in front of a command of two words or more: "so quiet" is no command.
const BEFORE_LONGER: [&str; 17] = [
    "so",
    "and",
    "well",
    "now",
    "right",
    "actually",
    "wait",
    "sorry",
    "just",
    "but",
    "then",
    "great",
    "good",
    "thanks",
    "thank you",
    "by the way",
    "i said",
];

/// Politeness behind a command.
const BEHIND: [&str; 15] = [
    "please",
    "thanks",
    "thank you",
    "ok",
    "okay",
    "now",
    "then",
    "right now",
    "will you",
    "would you",
    "could you",
    "can you",
    "if you can",
    "if you would",
    "my dear",
];

/// The words of `text`, or nothing when there are none or too many for a command.
pub(super) fn normalise(text: &str) -> Option<Vec<String>> {
    let lower = text
        .to_lowercase()
        .replace(['’', '‘', '`'], "'")
        .replace('%', " percent ")
        .replace("per cent", "percent");
    let mut words = Vec::new();
    for word in lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')) {
        let word = word.trim_matches('\'');
        if !word.is_empty() {
            write_out(word, &mut words);
        }
        if words.len() > MOST_WORDS {
            return None;
        }
    }
    drop_degrees(&mut words);
    keep_one_of_repeats(&mut words);
    (!words.is_empty()).then_some(words)
}

/// Adds `word` with its contraction written out; recognisers often leave out the apostrophe.
fn write_out(word: &str, words: &mut Vec<String>) {
    const FORMS: [(&str, &str); 17] = [
        ("can't", "can not"),
        ("cant", "can not"),
        ("cannot", "can not"),
        ("won't", "will not"),
        ("dont", "do not"),
        ("didnt", "did not"),
        ("couldnt", "could not"),
        ("doesnt", "does not"),
        ("whats", "what is"),
        ("thats", "that is"),
        ("im", "i am"),
        ("youre", "you are"),
        ("what's", "what is"),
        ("that's", "that is"),
        ("it's", "it is"),
        ("time's", "time is"),
        ("day's", "day is"),
    ];
    const ENDINGS: [(&str, &str); 6] =
        [("n't", "not"), ("'re", "are"), ("'m", "am"), ("'ve", "have"), ("'ll", "will"), ("'d", "would")];
    if let Some((_, written)) = FORMS.iter().find(|(form, _)| *form == word) {
        words.extend(written.split(' ').map(str::to_owned));
    } else if let Some((stem, ending)) =
        ENDINGS.iter().find_map(|(e, full)| Some((word.strip_suffix(e)?, full)))
    {
        words.extend([stem.to_owned(), (*ending).to_owned()]);
    } else {
        words.push(word.replace('\'', ""));
    }
}

fn drop_degrees(words: &mut Vec<String>) {
    let mut at = 0;
    while at < words.len() {
        match DEGREES.iter().find_map(|degree| words_at_start(&words[at..], degree)) {
            Some(count) => drop(words.drain(at..at + count)),
            None => at += 1,
        }
    }
}

/// "Stop. Stop. Stop." is one command; recognisers repeat themselves, and so do people.
fn keep_one_of_repeats(words: &mut Vec<String>) {
    let total = words.len();
    let repeats = |period: &usize| {
        total.is_multiple_of(*period) && words.chunks(*period).all(|chunk| chunk == &words[..*period])
    };
    if let Some(period) = (1..total).find(repeats) {
        words.truncate(period);
    }
}

/// `words` with ever more politeness taken off at both ends, the full utterance first.
pub(super) fn without_politeness(words: &[String]) -> impl Iterator<Item = &[String]> {
    let starts = reachable(words.len(), |from| {
        let rest = &words[from..];
        let leads = |list: &[&str], kept: usize| -> Vec<usize> {
            let counts = list.iter().filter_map(|lead| words_at_start(rest, lead));
            counts.filter(|count| rest.len() >= count + kept).map(|count| from + count).collect()
        };
        [leads(&NAMES, 1), leads(&BEFORE, 1), leads(&BEFORE_LONGER, 2)].concat()
    });
    starts.into_iter().flat_map(move |from| {
        let rest = &words[from..];
        let cuts = reachable(rest.len(), |cut| {
            let kept = &rest[..rest.len() - cut];
            let tails = NAMES.iter().chain(&BEHIND);
            tails.filter_map(|tail| words_at_end(kept, tail)).map(|count| cut + count).collect()
        });
        cuts.into_iter().map(move |cut| &rest[..rest.len() - cut])
    })
}

/// All positions below `limit` that `steps` leads to from 0, in increasing order.
fn reachable(limit: usize, steps: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut reached = vec![0];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        for to in steps(at) {
            if to < limit && !reached.contains(&to) {
                reached.push(to);
            }
        }
        next += 1;
    }
    reached.sort_unstable();
    reached
}

/// How many words `phrase` takes at the head of `words`, when it stands there.
fn words_at_start(words: &[String], phrase: &str) -> Option<usize> {
    let count = phrase.split(' ').count();
    (words.len() >= count && phrase.split(' ').eq(words[..count].iter().map(String::as_str))).then_some(count)
}

/// The same for the end of `words`.
fn words_at_end(words: &[String], phrase: &str) -> Option<usize> {
    let count = phrase.split(' ').count();
    words_at_start(&words[words.len().checked_sub(count)?..], phrase)
}
