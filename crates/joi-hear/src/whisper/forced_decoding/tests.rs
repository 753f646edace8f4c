use super::super::tests::{interjection, jfk, tiny};
use super::super::window::PHRASE_TOKENS;
use super::*;

fn calm() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn the_row_after_several_tokens_is_that_after_the_last_one() {
    // whisper.cpp fills the last row and whisper-rs reads the first: only a lone token gives the right one.
    let (mut whisper, abort) = (tiny(), calm());
    let words = whisper.tokens(" And so my fellow").unwrap();
    let mut forced = whisper.listen(&jfk()[..48_000], &abort).unwrap();
    let all_at_once = forced.after(&words).unwrap().clone();
    let mut one_by_one = Vec::new();
    forced.begin(&[]).unwrap();
    for end in 0..=words.len() {
        one_by_one.push(forced.after(&words[..end]).unwrap().clone());
    }
    assert_eq!(one_by_one.last(), Some(&all_at_once));
    let said: Vec<f32> = words.iter().zip(&one_by_one).map(|(t, row)| row.log_prob(*t)).collect();
    assert!(said.iter().all(|log_prob| *log_prob > -1.5), "what was said is likely: {said:?}");
    // The trap itself: were the opening decoded in one go, its row would be that of its first token.
    let whisper = &mut *forced.whisper;
    let opening = whisper.opening();
    whisper.state.decode(&opening, 0, 1).unwrap();
    let trapped = whisper.row().unwrap();
    assert!((trapped.log_prob(words[0]) - one_by_one[0].log_prob(words[0])).abs() > 1.0);
}

#[test]
fn a_text_costs_what_it_does_not_share_and_rows_do_not_depend_on_the_way() {
    let (mut whisper, abort) = (tiny(), calm());
    let one = whisper.tokens(" And so my fellow").unwrap();
    let other = whisper.tokens(" And if not").unwrap();
    let mut forced = whisper.listen(&jfk()[..48_000], &abort).unwrap();
    let fresh = forced.after(&other).unwrap().clone();
    forced.after(&one).unwrap();
    assert_eq!(forced.after(&other).unwrap(), &fresh);
    assert_eq!(forced.rows.len(), other.len() + 1);
    // Whoever goes from one text to the next asks for their common beginning again.
    let (steps, first) = (forced.steps(), forced.after(&other[..1]).unwrap().clone());
    assert_eq!(first.logits.len(), 51_864);
    assert_ne!(first, fresh);
    assert_eq!(forced.word_end(&other[..1]).unwrap(), first.log_prob_of_none(&forced.whisper.goes_on));
    assert_eq!(forced.after(&other).unwrap(), &fresh);
    assert_eq!(forced.steps(), steps, "all that was known");
    let others = [&other[..other.len() - 1], &one[..1]].concat();
    forced.after(&others).unwrap();
    assert_eq!(forced.steps(), steps + 1);
    assert_eq!(forced.after(&other).unwrap(), &fresh);
    let total: f64 = (0..51_864).map(|token| f64::from(fresh.log_prob(token)).exp()).sum();
    assert!((total - 1.0).abs() < 1e-3, "{total}");
    assert_eq!(fresh.log_prob(-1), f32::NEG_INFINITY);
    assert_eq!(fresh.log_prob(i32::MAX), f32::NEG_INFINITY);
}

#[test]
fn what_is_written_freely_is_known_with_its_words() {
    let (mut whisper, abort) = (tiny(), calm());
    let forced = whisper.listen(&jfk()[..48_000], &abort).unwrap();
    let free = forced.free();
    assert!(free.text.to_lowercase().starts_with("and so my fellow"), "{}", free.text);
    assert_eq!(free.tokens.iter().filter(|t| t.begins_word).count(), free.text.split(' ').count());
}

#[test]
fn what_was_overheard_is_scored_without_being_encoded_again() {
    let (mut whisper, abort) = (tiny(), calm());
    let overheard = |whisper: &mut Whisper, samples: &[f32]| {
        let utterance = interjection(samples);
        whisper.understand(&utterance, &AtomicBool::new(false)).unwrap()
    };
    let support = |whisper: &mut Whisper, samples: &[f32]| {
        let words = whisper.tokens(" And so my").unwrap();
        let mut forced = whisper.listen(samples, &abort).unwrap();
        (forced.free().text.clone(), forced.whole(&words).unwrap())
    };
    let (one, other) = (&jfk()[..48_000], &jfk()[52_000..84_000]);
    let fresh = [support(&mut whisper, one), support(&mut whisper, other)];
    let transcript = overheard(&mut whisper, one);
    assert_eq!(transcript.audio_ctx, PHRASE_AUDIO_CTX);
    assert!(transcript.text.starts_with("And so my fellow"), "{}", transcript.text);
    // Were it encoded again, ten tokens were the most that is written.
    whisper.encoded.samples[0] += 0.5;
    let mut marked = one.to_vec();
    marked[0] += 0.5;
    assert_eq!(
        support(&mut whisper, &marked),
        (transcript.text.clone(), fresh[0].1),
        "of what is in the state"
    );
    overheard(&mut whisper, one);
    assert_eq!(support(&mut whisper, other).1, fresh[1].1, "never of another sound");
    assert_eq!(support(&mut whisper, one).1, fresh[0].1);
    let long = [one, one].concat();
    assert!(overheard(&mut whisper, &long).audio_ctx > PHRASE_AUDIO_CTX, "too long for the small window");
}

#[test]
fn a_decoder_that_goes_in_circles_during_playback_is_not_waited_for() {
    let mut whisper = tiny();
    let hum: Vec<f32> = (0..24_000).map(|n| (n as f32 * 0.05).sin() * ((n / 800) % 2) as f32 * 0.3).collect();
    let transcript = whisper.understand(&interjection(&hum), &calm()).unwrap();
    assert_eq!(transcript.audio_ctx, PHRASE_AUDIO_CTX, "never the whole window");
    assert!(transcript.text.split_whitespace().count() <= PHRASE_TOKENS as usize, "{}", transcript.text);
}

#[test]
fn a_raised_flag_ends_it_between_two_steps() {
    let mut whisper = tiny();
    let abort = calm();
    let words = whisper.tokens(" And so").unwrap();
    let mut forced = whisper.listen(&jfk()[..32_000], &abort).unwrap();
    forced.after(&words[..1]).unwrap();
    abort.store(true, Ordering::Relaxed);
    assert!(forced.after(&words[..1]).is_ok(), "that is known already");
    assert_eq!(forced.after(&words).err(), Some(SttError::Aborted));
    drop(forced);
    assert_eq!(whisper.listen(&jfk()[..32_000], &abort).err(), Some(SttError::Aborted));
    abort.store(false, Ordering::Relaxed);
    assert!(whisper.listen(&jfk()[..32_000], &abort).is_ok());
}

#[test]
fn a_text_without_end_is_refused_and_a_long_one_is_not_cut() {
    let whisper = tiny();
    let words = |count: usize| " night".repeat(count);
    assert_eq!(whisper.tokens(&words(LONGEST)).unwrap().len(), LONGEST);
    let refused = whisper.tokens(&words(10_000)).unwrap_err();
    assert_eq!(refused, SttError::Failed("a text of 10000 tokens is longer than 64".into()));
    assert_eq!(whisper.tokens("").unwrap(), Vec::<i32>::new());
}
