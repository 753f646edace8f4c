//! Names of browsers for people.
//!
//! In: how a browser calls itself. Out: a name. Pure: no I/O, no clock.

/// Returns what a browser calls itself, in words where it is a known one: "Firefox, Android".
pub(super) fn browser_name(agent: &str) -> String {
    let known = |names: &[(&str, &str)]| {
        names.iter().find(|(sign, _)| agent.contains(sign)).map(|(_, name)| (*name).to_owned())
    };
    // Most call themselves Safari and Chrome as well.
    let browsers = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    match (known(&browsers), known(&systems)) {
        (Some(browser), Some(system)) => format!("{browser}, {system}"),
        _ => agent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_has_a_name_and_an_unknown_one_its_own() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36";
        let phone = "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0";
        assert_eq!([chrome, phone, "<b>"].map(browser_name), ["Chrome, Linux", "Firefox, Android", "<b>"]);
    }
}
