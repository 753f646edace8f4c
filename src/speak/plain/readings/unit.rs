//! PURE: numbers with units.

use std::sync::LazyLock;

use regex::Regex;

use super::{NUMBER, group, pattern, replace};

/// Symbols, one, many.
const UNITS: &[(&str, &str, &str)] = &[
    // length, area, volume
    ("km", "kilometer", "kilometers"),
    ("m", "meter", "meters"),
    ("cm", "centimeter", "centimeters"),
    ("mm", "millimeter", "millimeters"),
    ("µm", "micrometer", "micrometers"),
    ("nm", "nanometer", "nanometers"),
    ("mi", "mile", "miles"),
    ("yd", "yard", "yards"),
    ("ft", "foot", "feet"),
    ("sq ft", "square foot", "square feet"),
    ("km²", "square kilometer", "square kilometers"),
    ("m²", "square meter", "square meters"),
    ("cm²", "square centimeter", "square centimeters"),
    ("mm²", "square millimeter", "square millimeters"),
    ("ft²", "square foot", "square feet"),
    ("m³", "cubic meter", "cubic meters"),
    ("cm³", "cubic centimeter", "cubic centimeters"),
    ("ha", "hectare", "hectares"),
    ("l", "liter", "liters"),
    ("L", "liter", "liters"),
    ("dl", "deciliter", "deciliters"),
    ("cl", "centiliter", "centiliters"),
    ("ml", "milliliter", "milliliters"),
    ("mL", "milliliter", "milliliters"),
    ("tsp", "teaspoon", "teaspoons"),
    ("tbsp", "tablespoon", "tablespoons"),
    ("gal", "gallon", "gallons"),
    // mass, energy, food
    ("kg", "kilogram", "kilograms"),
    ("g", "gram", "grams"),
    ("mg", "milligram", "milligrams"),
    ("µg", "microgram", "micrograms"),
    ("lb", "pound", "pounds"),
    ("lbs", "pound", "pounds"),
    ("oz", "ounce", "ounces"),
    ("cal", "calorie", "calories"),
    ("kcal", "kilocalorie", "kilocalories"),
    ("kJ", "kilojoule", "kilojoules"),
    ("MJ", "megajoule", "megajoules"),
    ("J", "joule", "joules"),
    ("Wh", "watt hour", "watt hours"),
    ("kWh", "kilowatt hour", "kilowatt hours"),
    ("MWh", "megawatt hour", "megawatt hours"),
    ("GWh", "gigawatt hour", "gigawatt hours"),
    ("W", "watt", "watts"),
    ("kW", "kilowatt", "kilowatts"),
    ("MW", "megawatt", "megawatts"),
    ("GW", "gigawatt", "gigawatts"),
    ("mW", "milliwatt", "milliwatts"),
    ("hp", "horsepower", "horsepower"),
    // electricity, waves
    ("V", "volt", "volts"),
    ("mV", "millivolt", "millivolts"),
    ("kV", "kilovolt", "kilovolts"),
    ("A", "amp", "amps"),
    ("mA", "milliamp", "milliamps"),
    ("Ah", "amp hour", "amp hours"),
    ("mAh", "milliamp hour", "milliamp hours"),
    ("Ω", "ohm", "ohms"),
    ("kΩ", "kiloohm", "kiloohms"),
    ("µF", "microfarad", "microfarads"),
    ("Hz", "hertz", "hertz"),
    ("kHz", "kilohertz", "kilohertz"),
    ("MHz", "megahertz", "megahertz"),
    ("GHz", "gigahertz", "gigahertz"),
    ("dB", "decibel", "decibels"),
    ("dBm", "D B M", "D B M"),
    ("lm", "lumen", "lumens"),
    ("lx", "lux", "lux"),
    // pressure, speed, air
    ("Pa", "pascal", "pascals"),
    ("hPa", "hectopascal", "hectopascals"),
    ("kPa", "kilopascal", "kilopascals"),
    ("mbar", "millibar", "millibars"),
    ("psi", "P S I", "P S I"),
    ("mph", "mile per hour", "miles per hour"),
    ("kph", "kilometer per hour", "kilometers per hour"),
    ("kmh", "kilometer per hour", "kilometers per hour"),
    ("kn", "knot", "knots"),
    ("rpm", "R P M", "R P M"),
    ("ppm", "part per million", "parts per million"),
    ("ppb", "part per billion", "parts per billion"),
    // time
    ("ms", "millisecond", "milliseconds"),
    ("µs", "microsecond", "microseconds"),
    ("ns", "nanosecond", "nanoseconds"),
    ("s", "second", "seconds"),
    ("sec", "second", "seconds"),
    ("secs", "second", "seconds"),
    ("min", "minute", "minutes"),
    ("mins", "minute", "minutes"),
    ("h", "hour", "hours"),
    ("hr", "hour", "hours"),
    ("hrs", "hour", "hours"),
    ("yr", "year", "years"),
    ("yrs", "year", "years"),
    ("wk", "week", "weeks"),
    ("wks", "week", "weeks"),
    ("mo", "month", "months"),
    // data
    ("B", "byte", "bytes"),
    ("kB", "kilobyte", "kilobytes"),
    ("KB", "kilobyte", "kilobytes"),
    ("MB", "megabyte", "megabytes"),
    ("GB", "gigabyte", "gigabytes"),
    ("TB", "terabyte", "terabytes"),
    ("KiB", "kibibyte", "kibibytes"),
    ("MiB", "mebibyte", "mebibytes"),
    ("GiB", "gibibyte", "gibibytes"),
    ("kbps", "kilobit per second", "kilobits per second"),
    ("Mbps", "megabit per second", "megabits per second"),
    ("Gbps", "gigabit per second", "gigabits per second"),
    ("Mbit", "megabit", "megabits"),
    ("Gbit", "gigabit", "gigabits"),
    ("fps", "frame per second", "frames per second"),
    ("px", "pixel", "pixels"),
    ("MP", "megapixel", "megapixels"),
    ("dpi", "D P I", "D P I"),
];

/// Behind a slash also these.
const PER: &[(&str, &str)] = &[
    ("day", "day"),
    ("d", "day"),
    ("week", "week"),
    ("month", "month"),
    ("year", "year"),
    ("hour", "hour"),
    ("100 km", "100 kilometers"),
    ("100km", "100 kilometers"),
    ("person", "person"),
];

/// One letter that also is a word or a name ("5 A levels", "size 7 B"): a unit only right behind the number.
const TIGHT: [&str; 4] = ["A", "B", "J", "MP"];

static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    let mut symbols: Vec<String> = UNITS.iter().map(|(symbol, ..)| regex::escape(symbol)).collect();
    symbols.sort_by_key(|symbol| std::cmp::Reverse(symbol.len()));
    let mut divisors: Vec<String> = PER.iter().map(|(symbol, _)| regex::escape(symbol)).collect();
    divisors.extend(symbols.iter().cloned());
    divisors.sort_by_key(|symbol| std::cmp::Reverse(symbol.len()));
    let (symbols, divisors) = (symbols.join("|"), divisors.join("|"));
    pattern(&format!(
        r"(?:(?P<from>{NUMBER}) ?(?:-|–|to) ?)?(?P<n>{NUMBER})(?P<gap>[ -]?)(?P<unit>{symbols})(?:/(?P<per>{divisors}))?"
    ))
});
static DEGREES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:(?P<from>[-−]?{NUMBER}) ?°? ?(?P<dash>-|–|to) ?)?(?P<n>[-−]?{NUMBER}) ?(?:°|º|deg\b\.?) ?(?P<scale>[CFK]\b)?"
    ))
});
static HEIGHT: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?P<feet>\d{1,2})['′](?P<inches>\d{1,2})["″]"#));

pub(super) fn read(text: &str) -> String {
    let text = replace(text, &HEIGHT, |found, around| {
        around.is_apart().then(|| format!("{} foot {}", group(found, "feet"), group(found, "inches")))
    });
    let text = replace(&text, &DEGREES, |found, around| {
        if around.last().is_some_and(|c| c.is_alphanumeric() || c == '.' || c == ',') {
            return None;
        }
        let number = signed(group(found, "n"));
        let (one, many) = ("degree", "degrees");
        let range = match group(found, "from") {
            "" => String::new(),
            from => format!("{} to ", signed(from)),
        };
        let scale = match group(found, "scale") {
            "C" => " Celsius",
            "F" => " Fahrenheit",
            "K" => " Kelvin",
            _ => "",
        };
        let unit = if number == "1" && range.is_empty() { one } else { many };
        let gap = if scale.is_empty() && around.next().is_some_and(char::is_alphanumeric) { " " } else { "" };
        Some(format!("{range}{number} {unit}{scale}{gap}"))
    });
    replace(&text, &MEASURE, |found, around| {
        let symbol = group(found, "unit");
        let is_number_apart = !around.last().is_some_and(|c| c.is_alphanumeric() || ".,:/'".contains(c));
        let is_unit_apart =
            !around.next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '²' | '³' | '/' | '\'' | '_'));
        let is_close = group(found, "gap").is_empty() || !TIGHT.contains(&symbol);
        // "5-h" may be anything, "5-km" is a unit.
        let is_meant = group(found, "gap") != "-" || symbol.chars().count() > 1;
        if !(is_number_apart && is_unit_apart && is_close && is_meant) {
            return None;
        }
        Some(measure(found))
    })
}

fn measure(found: &regex::Captures<'_>) -> String {
    let (number, from, symbol) = (group(found, "n"), group(found, "from"), group(found, "unit"));
    let is_attribute = group(found, "gap") == "-";
    let is_one = is_attribute || (number == "1" && from.is_empty());
    let (_, one, many) = UNITS.iter().find(|(known, ..)| *known == symbol).unwrap_or(&("", "", ""));
    let unit = if is_one { one } else { many };
    let range = if from.is_empty() { String::new() } else { format!("{from} to ") };
    let per = match group(found, "per") {
        "" => String::new(),
        symbol => {
            let unit = UNITS.iter().find(|(known, ..)| *known == symbol).map(|(_, one, _)| *one);
            let other = PER.iter().find(|(known, _)| *known == symbol).map(|(_, word)| *word);
            format!(" per {}", unit.or(other).unwrap_or(symbol))
        }
    };
    format!("{range}{number} {unit}{per}")
}

fn signed(number: &str) -> String {
    match number.strip_prefix(['-', '−']) {
        Some(number) => format!("minus {number}"),
        None => number.to_owned(),
    }
}
