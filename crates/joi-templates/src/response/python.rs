//! Methods and filters of Python's Jinja that minijinja lacks and responses use. Comes in: values of a response. Goes out:
//! values. Refuses: other forms of numbers than `{}`, `{:d}` and `{:02d}`. Pure: no I/O, no clock.

use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

/// Adds methods and filters.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.set_unknown_method_callback(|state, value, method, arguments| match (method, value.kind()) {
        ("format", ValueKind::String) => format_string(value.as_str().unwrap_or_default(), arguments),
        ("weekday", ValueKind::Map) => weekday(value),
        ("is_integer", ValueKind::Number) => {
            Ok(f64::try_from(value.clone()).is_ok_and(|number| number.fract() == 0.0).into())
        }
        _ => minijinja_contrib::pycompat::unknown_method_callback(state, value, method, arguments),
    });
    environment.add_filter("int", |value: Value, default: Rest<Value>| {
        let number = number(&value).map(|number| Value::from(number.trunc() as i64));
        Ok::<_, Error>(number.unwrap_or(fallback(&default)?.unwrap_or_else(|| 0.into())))
    });
    environment.add_filter("float", |value: Value, default: Rest<Value>| {
        Ok::<_, Error>(
            number(&value).map_or(fallback(&default)?.unwrap_or_else(|| Value::from(0.0)), Value::from),
        )
    });
    let length = |value: Value| value.len().unwrap_or_default();
    environment.add_filter("length", length);
    environment.add_filter("count", length);
}

/// Returns the default that a filter was given, by place or by name.
fn fallback(arguments: &[Value]) -> Result<Option<Value>, Error> {
    match arguments.first() {
        Some(named) if named.is_kwargs() => {
            let named = Kwargs::try_from(named.clone())?;
            Ok(if named.has("default") { Some(named.get("default")?) } else { None })
        }
        first => Ok(first.cloned()),
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match value.as_str() {
        Some(text) => text.trim().parse().ok()?,
        None => f64::try_from(value.clone()).ok()?,
    };
    number.is_finite().then_some(number)
}

/// The day of the week of a date, Monday being 0.
fn weekday(date: &Value) -> Result<Value, Error> {
    let part = |name: &str| date.get_attr(name).and_then(i64::try_from);
    let (year, month, day) = (part("year")?, part("month")?, part("day")?);
    // Sakamoto's way: months behind February count for the next year.
    let year = if month < 3 { year.saturating_sub(1) } else { year };
    let shift =
        usize::try_from(month - 1).ok().and_then(|month| [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4].get(month));
    let shift = shift.ok_or_else(|| invalid("weekday: no such month"))?;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let from_sunday = year.wrapping_add(leaps).wrapping_add(*shift).wrapping_add(day).rem_euclid(7);
    Ok(((from_sunday + 6) % 7).into())
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, what.to_owned())
}

/// Python's `str.format` with positions and names, and with zero-filled whole numbers (`{0:02d}`).
fn format_string(template: &str, arguments: &[Value]) -> Result<Value, Error> {
    let (plain, named): (Vec<_>, Vec<_>) = arguments.iter().partition(|value| !value.is_kwargs());
    let named = named.first().and_then(|named| Kwargs::try_from((*named).clone()).ok());
    let (mut written, mut rest, mut next) = (String::new(), template, 0);
    while let Some((before, after)) = rest.split_once('{') {
        written.push_str(before);
        let (field, after) = after.split_once('}').ok_or_else(|| invalid("a brace is not closed"))?;
        let (field, form) = field.split_once(':').unwrap_or((field, ""));
        let position = if field.is_empty() { Some(next) } else { field.parse().ok() };
        next += 1;
        let value = match (position, &named) {
            (Some(at), _) => plain.get(at).map(|value| (*value).clone()),
            (None, Some(named)) => named.get::<Value>(field).ok(),
            (None, None) => None,
        };
        let value = value.ok_or_else(|| invalid("an argument is missing"))?;
        match form.strip_suffix('d').and_then(|width| width.parse::<usize>().ok()) {
            Some(width) if form.starts_with('0') => {
                let number = i64::try_from(value).map_err(|_| invalid("not a whole number"))?;
                written.push_str(&format!("{number:0width$}"));
            }
            _ if form.is_empty() || form == "d" => written.push_str(&value.to_string()),
            _ => return Err(invalid("an unknown form")),
        }
        rest = after;
    }
    written.push_str(rest);
    Ok(written.into())
}
