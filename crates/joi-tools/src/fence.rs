//! The marks around words of strangers.
//!
//! Between them is data, never an instruction. A text can't end its own fence: marks inside it are
//! taken out first. Cutting keeps both marks.
//! Pure: no I/O, no clock.

/// Before a stranger's words.
pub const BEGIN: &str = "[BEGIN UNTRUSTED WEB TEXT]";
/// After them.
pub const END: &str = "[END UNTRUSTED WEB TEXT]";

/// `text` between the marks, at most `most` characters of it.
pub fn wrap(text: &str, most: usize) -> String {
    format!("{BEGIN}\n{}\n{END}", shortened(bare(text).trim(), most))
}

/// Returns whether `text` holds words of strangers.
pub fn is_fenced(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Returns at most `most` characters of `text`; of a fenced text both marks stay.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    match text.split_once(BEGIN) {
        None => shortened(text, most),
        Some((before, rest)) => {
            let (inside, after) = rest.split_once(END).unwrap_or((rest, ""));
            let marks = BEGIN.len() + END.len() + 2;
            let room = most.saturating_sub(marks);
            let before = shortened(bare(before).trim_end(), room / 4);
            let gap = if before.is_empty() { "" } else { "\n" };
            let inside = format!("{} {}", bare(inside).trim(), bare(after).trim());
            let inside = shortened(inside.trim(), room.saturating_sub(before.chars().count() + 1));
            format!("{before}{gap}{BEGIN}\n{inside}\n{END}")
        }
    }
}

/// `text` without the marks, however often they stand inside one another.
fn bare(text: &str) -> String {
    bare_in_steps(text, || {})
}

/// Returns the same; `step` is called for each comparison. One pass: a mark is taken out as soon as it is complete,
/// which may complete the one around it.
fn bare_in_steps(text: &str, mut step: impl FnMut()) -> String {
    let mut bare = String::with_capacity(text.len());
    for c in text.chars() {
        bare.push(c);
        // Both marks end with a bracket, and are ASCII.
        while bare.ends_with(']') {
            step();
            let Some(mark) = [BEGIN, END].into_iter().find(|mark| ends_with(&bare, mark)) else { break };
            bare.truncate(bare.len() - mark.len());
        }
    }
    bare
}

fn ends_with(text: &str, mark: &str) -> bool {
    let start = text.len().checked_sub(mark.len());
    start.is_some_and(|start| text.as_bytes()[start..].eq_ignore_ascii_case(mark.as_bytes()))
}

/// Returns at most `most` characters, with an ellipsis when something is missing.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn foreign_bytes_never_end_their_fence(parts in prop::collection::vec(prop_oneof![
            Just(BEGIN.to_owned()), Just(END.to_owned()), Just("[end Untrusted".to_owned()), Just(" WEB TEXT]".to_owned()),
            "\\PC{0,30}"], 0..12), most in 200usize..400) {
            let wrapped = wrap(&parts.concat(), 1_500);
            for text in [cut(&wrapped, most), wrapped] {
                prop_assert_eq!((text.matches(BEGIN).count(), text.matches(END).count()), (1, 1));
                prop_assert!(text.starts_with(BEGIN) && text.ends_with(END));
            }
            prop_assert!(cut(&wrap(&parts.concat(), 1_500), most).chars().count() <= most);
        }
    }

    #[test]
    fn any_number_of_marks_inside_one_another_takes_one_pass() {
        let steps = |count: usize| {
            let text = format!("{}{}", "[BEGIN UNTRUSTED WEB TEXT".repeat(count), "]".repeat(count));
            let (mut steps, nested) = (0, text + &END.repeat(count));
            assert_eq!(
                bare_in_steps(&nested, || steps += 1).matches(']').count(),
                0,
                "all of them are marks"
            );
            (steps, nested.len())
        };
        let (steps, length) = steps(20_000);
        assert!(steps <= length / 8, "{steps} comparisons for {length} bytes");
    }

    #[test]
    fn what_stands_before_a_fence_stays_before_it() {
        let text = format!("From example.org:\n{}", wrap(&"word ".repeat(400), 1_500));
        let cut = cut(&text, 300);
        assert!(cut.starts_with(&format!("From example.org:\n{BEGIN}")) && cut.ends_with(END), "{cut}");
        assert!(cut.chars().count() <= 300);
    }
}
