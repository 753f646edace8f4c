//! A value in another unit: temperatures are converted, anything else only stands for itself.
//! Pure: no I/O, no clock.

/// Converts `value` from the unit `from` to `into`; `None` where these two can't be converted.
pub(crate) fn converted(value: f64, from: &str, into: &str) -> Option<f64> {
    if from == into {
        return Some(value);
    }
    let kelvin = match from {
        "°C" => value + 273.15,
        "°F" => (value + 459.67) / 1.8,
        "K" => value,
        _ => return None,
    };
    Some(match into {
        "°C" => kelvin - 273.15,
        "°F" => kelvin * 1.8 - 459.67,
        "K" => kelvin,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_are_converted_and_nothing_else_is() {
        for (value, from, into, expected) in [
            (70.0, "°F", "°C", Some(21.11)),
            (20.0, "°C", "°F", Some(68.0)),
            (294.65, "K", "°C", Some(21.5)),
            (0.0, "°C", "K", Some(273.15)),
            (21.5, "°C", "°C", Some(21.5)),
            (5.0, "W", "W", Some(5.0)),
            (5.0, "W", "kW", None),
            (5.0, "W", "°C", None),
            (5.0, "°C", "%", None),
        ] {
            let got = converted(value, from, into).map(|value| (value * 100.0).round() / 100.0);
            assert_eq!(got, expected, "{value} {from} in {into}");
        }
    }
}
