//! What a count of rare events proves.
//! Pure: no I/O, no clock.

/// How many events must be expected where so many were counted, with 95 % confidence (Poisson, one-sided): the mean
/// that gives `counted` or fewer with a probability of 5 %.
pub(crate) fn at_most(counted: usize) -> f64 {
    let probability = |mean: f64| {
        let mut term = (-mean).exp();
        let mut sum = term;
        for n in 1..=counted {
            term *= mean / n as f64;
            sum += term;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 10.0 + 3.0 * counted as f64);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if probability(middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::at_most;

    #[test]
    fn the_bound_is_that_of_a_poisson_distribution() {
        for (counted, bound) in [(0, 2.996), (1, 4.744), (2, 6.296), (5, 10.513), (10, 16.962), (20, 29.062)]
        {
            assert!((at_most(counted) - bound).abs() < 0.001, "{counted}: {}", at_most(counted));
        }
    }
}
