//! Reads the sentences of `tests/data/say`: one with its kind, its scene and what is right after it.
//!
//! Pure: no I/O, no clock.

/// One sentence of the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidSentence {
    /// The name of its kind.
    pub(super) kind: &'static str,
    /// Its line in the file, from 1.
    pub(super) line: usize,
    /// The device's room.
    pub(super) room: &'static str,
    /// The entries of its scene.
    pub(super) scene: Vec<&'static str>,
    /// It carries a filler, a false start, politeness or another order.
    pub(super) is_free: bool,
    /// The words of each turn.
    pub(super) turns: Vec<&'static str>,
    /// The values that are right, the best first.
    pub(super) expected: &'static str,
}

/// Returns the sentences of a file. Texts that are read aloud are left out: no turn speaks them.
pub(super) fn sentences(file: &'static str) -> Vec<SaidSentence> {
    let mut all = Vec::new();
    let (mut kind, mut room, mut scene, mut is_free) = ("", "", Vec::new(), false);
    for (at, line) in file.lines().enumerate() {
        match line.chars().next() {
            None => {}
            Some('=') => {
                kind = line[1..].split_whitespace().next().unwrap();
                (scene, is_free) = (Vec::new(), false);
            }
            Some('@') => room = &line[1..],
            Some('#') => match &line[1..] {
                "~" => is_free = true,
                "=" => is_free = false,
                _ => {}
            },
            Some(_) => match (line.strip_prefix("given: "), line.split_once('\t')) {
                (Some("-"), _) => scene = Vec::new(),
                (Some(entries), _) => scene = entries.split("; ").collect(),
                (None, Some((said, expected))) if !said.starts_with("aloud: ") => all.push(SaidSentence {
                    kind,
                    line: at + 1,
                    room,
                    scene: scene.clone(),
                    is_free,
                    turns: said.split(" // ").collect(),
                    expected,
                }),
                (None, Some(_)) => {}
                (None, None) => panic!("line {}: {line}", at + 1),
            },
        }
    }
    all
}

/// Returns the parts of `text` between blanks; what stands in quotation marks is one part, and keeps its first mark.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let (mut all, mut is_quoted) = (vec![String::new()], false);
    for letter in text.chars() {
        let last = all.last_mut().unwrap();
        match letter {
            '"' if is_quoted => is_quoted = false,
            '"' => {
                is_quoted = true;
                last.push('"');
            }
            ' ' if !is_quoted => all.push(String::new()),
            _ => last.push(letter),
        }
    }
    all.retain(|token| !token.is_empty());
    all
}

/// Returns the text of a quoted part.
pub(super) fn quoted(token: &str) -> Option<&str> {
    token.trim_end_matches(',').strip_prefix('"')
}

/// Returns all quoted texts.
pub(super) fn all_quoted(tokens: &[String]) -> Vec<String> {
    tokens.iter().filter_map(|token| quoted(token)).map(str::to_owned).collect()
}

#[test]
fn a_line_carries_the_kind_the_scene_and_the_share_it_belongs_to() {
    let file = "= one Title\ngiven: timer 60 s; volume 5\na // b\tset timer 60 s | ask\n#~\nc\tmodel\n= two Title\nd\task";
    let all = sentences(file);
    let brief = |one: &SaidSentence| (one.kind, one.line, one.scene.len(), one.is_free, one.turns.len());
    assert_eq!(
        all.iter().map(brief).collect::<Vec<_>>(),
        [("one", 3, 2, false, 2), ("one", 5, 2, true, 1), ("two", 7, 0, false, 1)]
    );
    assert_eq!(tokens("list add \"oat milk\", \"eggs\" @x"), ["list", "add", "\"oat milk,", "\"eggs", "@x"]);
    assert_eq!(all_quoted(&tokens("add \"oat milk\", \"eggs\"")), ["oat milk", "eggs"]);
}
