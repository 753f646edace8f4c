//! Whether an utterance reads as a wish for a deed or a look-up, whatever it is about.
//!
//! In: what was said. Out: whether a model is worth asking which tool it wants. Only the form of the words decides, by
//! `[wanted]` in `consent.toml` of each language; questions, statements and requests for words alone ("sing me a song")
//! are none. It allows nothing: that is decided as for any call.
//! Pure: no I/O, no clock.

use super::sentences::{led, sentences};
use super::unasked;
use crate::text::without_quotes;
use joi_language::values::Wish;
use joi_language::{Language, RequestWords};

/// Returns whether `asked` reads as a wish for a deed or a look-up.
pub fn reads_as_wish(language: &Language, asked: &str) -> bool {
    language
        .requests()
        .iter()
        .any(|words| wants(words, asked) && !matches!(unasked::objected(words, asked), Some(Wish::Talk(_))))
}

fn wants(words: &RequestWords, asked: &str) -> bool {
    let wanted = &words.wanted;
    let own = without_quotes(asked).own;
    let runs: Vec<Vec<String>> = sentences(&own).into_iter().flatten().map(|run| run.words).collect();
    let is_wish = |run: &[String]| {
        let begins_one = |at: &usize| *at == 0 || words.form.joints.at_end(&run[..*at]).is_some();
        (0..run.len()).filter(begins_one).any(|at| begins(words, &run[at..])) || wanted.anywhere.are_in(run)
    };
    runs.iter().any(|run| is_wish(run))
}

/// Returns whether a wish begins with `part`.
fn begins(words: &RequestWords, part: &[String]) -> bool {
    let wanted = &words.wanted;
    let mut rest = led(&words.form, part);
    let mut is_asked = false;
    // "Could you please check": words of manners may stand between.
    while let Some(count) = wanted.asks.at_start(rest) {
        is_asked = true;
        rest = led(&words.form, &rest[count..]);
    }
    let is_talk = wanted.talk.at_start(rest) > wanted.begins.at_start(rest);
    !rest.is_empty() && !is_talk && (is_asked || wanted.begins.at_start(rest).is_some())
}

#[cfg(test)]
mod tests {
    use joi_language::testing::{english, german};

    use super::*;

    #[test]
    fn wishes_differ_from_talk_by_their_form() {
        for (asked, is_wish) in [
            ("give me a shout when the pasta's had its eleven minutes", true),
            ("Could you please check how late it is in Sydney?", true),
            ("we've run out of olive oil, make sure I pick some up", true),
            ("I have to be up by seven, see to it", true),
            ("don't let me forget to ring the dentist at three", true),
            ("tell me a joke", false),
            ("give me an idea for dinner", false),
            ("can you sing?", false),
            ("why is the sky blue", false),
            ("what do you think about cats?", false),
            ("I went to the market and bought eggs", false),
            ("eggs on", false),
            ("coat on", false),
            ("I'm tired", false),
            ("could you explain how a fridge works", false),
            ("he said \"wake me at six\"", false),
        ] {
            assert_eq!(reads_as_wish(english(), asked), is_wish, "{asked}");
        }
        for (asked, is_wish) in [
            ("sag Bescheid, wenn die Nudeln elf Minuten hatten", true),
            ("kannst du nachsehen, wie spät es in Sydney ist?", true),
            ("sorg dafür, dass ich um sieben wach bin", true),
            ("erzähl mir einen Witz", false),
            ("warum ist der Himmel blau", false),
            ("kannst du mir erklären, wie ein Kühlschrank geht", false),
            ("ich bin müde", false),
        ] {
            assert_eq!(reads_as_wish(german(), asked), is_wish, "{asked}");
        }
    }
}
