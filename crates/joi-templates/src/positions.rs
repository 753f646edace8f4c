//! Sets of places in a sentence, as bits. Comes in: places. Goes out: unions, places in order. Pure: no I/O, no clock.
//!
//! A place is a position of a character and whether a word begins there by what was matched before it: then white space
//! is skipped on both sides.

/// Most characters of a sentence, with the space that ends it.
pub(crate) const MOST_LETTERS: usize = 255;
const WORDS: usize = 4;

/// A place in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TextPlace(u16);

impl TextPlace {
    /// A place at the beginning of a word.
    pub(crate) const fn at_word(position: usize) -> Self {
        Self(((position as u16) << 1) | 1)
    }

    /// A place right behind what was matched.
    pub(crate) const fn inside(position: usize) -> Self {
        Self((position as u16) << 1)
    }

    /// Another position with the same white space rule.
    pub(crate) const fn moved(self, position: usize) -> Self {
        Self(((position as u16) << 1) | (self.0 & 1))
    }

    pub(crate) const fn position(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) const fn begins_word(self) -> bool {
        self.0 & 1 == 1
    }

    /// A number for keys of tables, below 512.
    pub(crate) const fn number(self) -> u32 {
        self.0 as u32
    }
}

/// A set of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PlaceSet {
    halves: [[u64; WORDS]; 2],
}

impl PlaceSet {
    pub(crate) fn one(place: TextPlace) -> Self {
        let mut set = Self::default();
        set.insert(place);
        set
    }

    pub(crate) fn insert(&mut self, place: TextPlace) {
        let position = place.position();
        self.halves[usize::from(place.begins_word())][position / 64 % WORDS] |= 1 << (position % 64);
    }

    pub(crate) fn unite(&mut self, other: &Self) {
        for (mine, theirs) in self.halves.iter_mut().flatten().zip(other.halves.iter().flatten()) {
            *mine |= theirs;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.halves.iter().flatten().all(|&bits| bits == 0)
    }

    /// Places in order, those inside words first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = TextPlace> + use<> {
        let halves = self.halves;
        (0..2 * WORDS).flat_map(move |index| {
            let (half, word) = (index / WORDS, index % WORDS);
            let mut bits = halves[half][word];
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                (bit < 64).then(|| {
                    bits &= bits - 1;
                    let position = word * 64 + bit;
                    if half == 1 { TextPlace::at_word(position) } else { TextPlace::inside(position) }
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_yields_the_places_put_in() {
        let places =
            [TextPlace::inside(0), TextPlace::inside(64), TextPlace::at_word(7), TextPlace::at_word(255)];
        let mut set = PlaceSet::default();
        assert!(set.is_empty());
        for place in places {
            set.unite(&PlaceSet::one(place));
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), places);
    }
}
