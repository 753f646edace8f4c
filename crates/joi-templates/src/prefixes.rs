//! A sorted table of texts that finds all that a sentence begins with at a place. Comes in: folded texts with a number
//! each. Goes out: lengths and numbers of those found. Pure: no I/O, no clock.

/// Texts in order, each with a number of its owner.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrefixTable {
    letters: Vec<char>,
    /// Where each text begins in `letters`, its length, and its number.
    rows: Vec<(u32, u16, u32)>,
}

impl PrefixTable {
    /// Builds the table; empty texts and those longer than 65,535 characters are left out.
    pub(crate) fn new(texts: impl IntoIterator<Item = (Vec<char>, u32)>) -> Self {
        let mut texts: Vec<_> = texts.into_iter().filter(|(text, _)| !text.is_empty()).collect();
        texts.sort();
        texts.dedup();
        let mut table = Self::default();
        for (text, number) in texts {
            let Ok(length) = u16::try_from(text.len()) else { continue };
            let Ok(start) = u32::try_from(table.letters.len()) else { break };
            let before = table.rows.last().map(|&(start, length, _)| (start, length));
            let same = before.filter(|&(s, l)| table.slice(s, l) == text);
            let start = same.map_or(start, |(start, _)| start);
            if same.is_none() {
                table.letters.extend(text);
            }
            table.rows.push((start, length, number));
        }
        table.letters.shrink_to_fit();
        table.rows.shrink_to_fit();
        table
    }

    fn slice(&self, start: u32, length: u16) -> &[char] {
        &self.letters[start as usize..start as usize + usize::from(length)]
    }

    /// Calls `found` with the length and the number of every text that `sentence` begins with. A hyphen or underscore of
    /// the sentence also stands for a space. Returns the number of characters looked at.
    pub(crate) fn find(&self, sentence: &[char], found: &mut dyn FnMut(usize, u32)) -> u64 {
        self.narrow(&self.rows, 0, sentence, found)
    }

    fn narrow(
        &self,
        rows: &[(u32, u16, u32)],
        depth: usize,
        sentence: &[char],
        found: &mut dyn FnMut(usize, u32),
    ) -> u64 {
        let letter = |row: &(u32, u16, u32)| self.letters[row.0 as usize + depth];
        let done = rows.partition_point(|row| usize::from(row.1) == depth);
        for row in &rows[..done] {
            found(depth, row.2);
        }
        let rows = &rows[done..];
        let Some(&next) = sentence.get(depth) else { return 1 };
        if rows.is_empty() {
            return 1;
        }
        let mut steps = 1;
        let joins = matches!(next, '-' | '_').then_some(' ');
        for c in std::iter::once(next).chain(joins) {
            let from = rows.partition_point(|row| letter(row) < c);
            let count = rows[from..].partition_point(|row| letter(row) == c);
            if count > 0 {
                steps += self.narrow(&rows[from..from + count], depth + 1, sentence, found);
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str], sentence: &str) -> Vec<(usize, u32)> {
        let rows = texts.iter().zip(0..).map(|(text, number)| (text.chars().collect(), number));
        let table = PrefixTable::new(rows);
        let sentence: Vec<char> = sentence.chars().collect();
        let mut found = Vec::new();
        table.find(&sentence, &mut |length, number| found.push((length, number)));
        found
    }

    #[test]
    fn all_prefixes_are_found_and_nothing_else() {
        let texts = ["lamp", "la", "lamb", "", "lamp", "lamp two"];
        assert_eq!(found(&texts, "lamp tw"), [(2, 1), (4, 0), (4, 4)]);
        assert_eq!(found(&texts, "x"), []);
    }

    #[test]
    fn a_hyphen_stands_for_a_space() {
        assert_eq!(found(&["living room", "living-room"], "living-room x"), [(11, 1), (11, 0)]);
        assert_eq!(found(&["living-room"], "living room"), []);
    }
}
