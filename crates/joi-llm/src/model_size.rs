//! Derives the size and the knowledge of a model from its parameters, or from its name.
//!
//! In: a model's name and, where known, its number of parameters. Out: [`ModelSize`] and [`Knowledge`].
//! Pure: no I/O, no clock.

/// Most parameters of a small model. Models sold as "7B" hold up to 7.7 thousand million.
const SMALL_MAX: u64 = 7_700_000_000;

/// Fewest parameters of a model whose knowledge is fair. Models sold as "1B" hold at least 0.97 thousand million.
const FAIR_MIN: u64 = 950_000_000;

/// How far one can rely on what a model knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Knowledge {
    /// Below 1 B parameters: facts are as often wrong as right.
    Scant,
    /// More.
    Fair,
}

/// Returns the knowledge of a model: by its parameters when they are known, else by its name; scant when
/// neither shows it.
pub(crate) fn knowledge_of(name: &str, parameter_count: Option<u64>) -> Knowledge {
    let count = parameter_count.filter(|&n| n > 0).or_else(|| parameters_in(name));
    match count {
        Some(n) if n >= FAIR_MIN => Knowledge::Fair,
        Some(_) | None => Knowledge::Scant,
    }
}

/// How much may be asked of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelSize {
    /// At most 7 B parameters.
    Small,
    /// More.
    Large,
}

/// Returns the size of a model: by its parameters when they are known, else by its name; small when
/// neither shows it.
pub fn size_of(name: &str, parameter_count: Option<u64>) -> ModelSize {
    let count = parameter_count.filter(|&n| n > 0).or_else(|| parameters_in(name));
    match count {
        Some(n) if n > SMALL_MAX => ModelSize::Large,
        Some(_) | None => ModelSize::Small,
    }
}

/// Returns the number of parameters in a name: `qwen3:1.7b`, `mixtral:8x7b`, `smollm2:135m`,
/// `gemma3n:e4b`. The largest counts where several stand (`qwen3:30b-a3b`).
fn parameters_in(name: &str) -> Option<u64> {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter_map(parameters_of_word).max()
}

fn parameters_of_word(word: &str) -> Option<u64> {
    let (number, scale) = match word.strip_suffix('b') {
        Some(number) => (number, 1e9),
        None => (word.strip_suffix('m')?, 1e6),
    };
    let number = number.strip_prefix(['e', 'a']).unwrap_or(number);
    let (experts, each) = number.split_once('x').unwrap_or(("1", number));
    let starts_with_digit = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    if !starts_with_digit(experts) || !starts_with_digit(each) {
        return None;
    }
    Some((experts.parse::<f64>().ok()? * each.parse::<f64>().ok()? * scale) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The names that were once judged wrongly, and the shapes names have.
    #[test]
    fn size_is_read_from_the_count_or_else_from_the_name() {
        use ModelSize::{Large, Small};
        let rows = [
            ("qwen3:4b", Small),
            ("acme/qwen3-1.7b", Small),
            ("qwen2.5-coder-0.5b-instruct", Small),
            ("smollm2:135m", Small),
            ("gemma3n:e4b", Small),
            ("mistral:7b-instruct-q4_K_M", Small),
            ("llama3.1:8b", Large),
            ("mixtral:8x7b", Large),
            ("qwen3:30b-a3b", Large),
            ("qwen3:14b", Large),
            ("llama3.1:70b-instruct", Large),
            ("llama3.2:latest", Small),
            ("b", Small),
        ];
        for (name, size) in rows {
            assert_eq!(size_of(name, None), size, "{name}");
        }
        assert_eq!(size_of("qwen3:1.7b", Some(14_000_000_000)), Large);
        assert_eq!(size_of("my-70b-killer", Some(1_000_000_000)), Small);
        assert_eq!(size_of("qwen2.5:7b", Some(7_615_616_512)), Small);
        assert_eq!(size_of("llama3.1:8b", Some(8_030_261_312)), Large);
    }

    #[test]
    fn a_model_below_one_thousand_million_parameters_knows_little() {
        use Knowledge::{Fair, Scant};
        for (name, count, knowledge) in [
            ("qwen2.5-coder-0.5b-instruct-q4_k_m", None, Scant),
            ("smollm2:360m", None, Scant),
            ("qwen3:1.7b", None, Fair),
            ("gemma3:1b", Some(999_885_952), Fair),
            ("mine:latest", Some(596_049_920), Scant),
            ("mine:latest", Some(1_235_814_432), Fair),
            ("mine:latest", None, Scant),
        ] {
            assert_eq!(knowledge_of(name, count), knowledge, "{name}");
        }
    }
}
