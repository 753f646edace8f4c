//! German readings: as text, and by the sounds that espeak-ng makes of them.

use super::*;
use crate::engines::espeak::Phonemizer;
use joi_language::testing::german;

#[test]
fn temperatures_and_units() {
    check_in(
        german(),
        &[
            ("Draußen sind es 22,5 °C.", "Draußen sind es 22,5 Grad Celsius."),
            ("Draußen sind es 22.5°C.", "Draußen sind es 22,5 Grad Celsius."),
            ("1 °C oder −3°", "ein Grad Celsius oder minus 3 Grad"),
            ("Höchstens 18–22 °C.", "Höchstens 18 bis 22 Grad Celsius."),
            ("3,2 kWh bei 1013 hPa", "3,2 Kilowattstunden bei 1013 Hektopascal"),
            ("1 kWh, 1 km, 1 h", "eine Kilowattstunde, ein Kilometer, eine Stunde"),
            (
                "50 km/h, 10 m/s, 7 l/100 km",
                "50 Kilometer pro Stunde, 10 Meter pro Sekunde, 7 Liter pro 100 Kilometer",
            ),
            ("25 m² und 60 m³", "25 Quadratmeter und 60 Kubikmeter"),
            ("250 ml, 2 EL, 1 TL", "250 Milliliter, 2 Esslöffel, ein Teelöffel"),
            ("1.500 km", "1.500 Kilometer"),
            ("Timer, 1 Minute.", "Timer, eine Minute."),
            ("1 Stunde 1 Minute, 21 Minuten", "eine Stunde eine Minute, 21 Minuten"),
            ("Lautstärke auf 1 Prozent.", "Lautstärke auf ein Prozent."),
        ],
    );
}

#[test]
fn dates_and_times() {
    check_in(
        german(),
        &[
            ("Es ist 9:05 Uhr.", "Es ist 9 Uhr 5."),
            ("Es ist 14:30 Uhr, um 9.30 Uhr, um 9:00", "Es ist 14 Uhr 30, um 9 Uhr 30, um 9 Uhr"),
            ("1:00 Uhr, 1 Uhr, 0:00 Uhr, 00:15", "ein Uhr, ein Uhr, 0 Uhr, 0 Uhr 15"),
            ("9:00–17:30 Uhr", "9 Uhr bis 17 Uhr 30"),
            ("um 9:30 am Montag", "um 9 Uhr 30 am Montag"),
            ("Heute ist Mittwoch, der 4. März 2026.", "Heute ist Mittwoch, der vierte März 2026."),
            ("am 4. März 2026, vom 3. bis 5. Mai", "am vierten März 2026, vom dritten bis fünften Mai"),
            ("4. März 2026", "vierter März 2026"),
            (
                "Bis 24.12.2026 oder am 24.12.",
                "Bis vierundzwanzigsten Dezember 2026 oder am vierundzwanzigsten Dezember.",
            ),
            ("2026-03-04", "vierter März 2026"),
            ("am 2026-03-04T09:05:00", "am vierten März 2026 um 9 Uhr 5"),
            ("der 3. Versuch im 19. Jahrhundert", "der dritte Versuch im neunzehnten Jahrhundert"),
            ("Fr., 5. Okt. 2026", "Freitag, fünfter Oktober 2026"),
            ("von 1939-1945 und 1900", "von 19 hundert 39 bis 19 hundert 45 und 19 hundert"),
            ("Das war 1984. Danach kam nichts.", "Das war 19 hundert 84. Danach kam nichts."),
        ],
    );
}

#[test]
fn money() {
    check_in(
        german(),
        &[
            ("Das kostet € 5,99.", "Das kostet 5 Euro 99."),
            (
                "5,99 €, 1 €, 20 €, 0,50 €, 1,01 €, 3,00 €",
                "5 Euro 99, ein Euro, 20 Euro, 50 Cent, ein Euro 1, 3 Euro",
            ),
            ("1,5 Mio. €, 2 Mrd. Euro, 1 Mio. €", "1,5 Millionen Euro, 2 Milliarden Euro, eine Million Euro"),
            ("5–10 €, -5 €, 9,99 €/Monat", "5 bis 10 Euro, minus 5 Euro, 9 Euro 99 pro Monat"),
            ("1.200 EUR", "1.200 Euro"),
            ("28 ct? $5", "28 ct? 5 Dollar"),
        ],
    );
}

#[test]
fn numbers_signs_and_words() {
    check_in(
        german(),
        &[
            (
                "2+2=4, 3 × 4, 10 / 5, 5 - 3 = 2",
                "2 plus 2 ist gleich 4, 3 mal 4, 10 geteilt durch 5, 5 minus 3 ist gleich 2",
            ),
            ("1/2, 3/4, 2 1/2, 2½, 7/12", "ein halb, 3 Viertel, 2 ein halb, 2 ein halb, 7 Zwölftel"),
            ("50 %, 5–10 %, 3:1", "50 Prozent, 5 bis 10 Prozent, 3 zu 1"),
            ("Nr. 5, #3, S. 12, § 5", "Nummer 5, Nummer 3, Seite 12, Paragraf 5"),
            ("-5, ~20, >100", "minus 5, ungefähr 20, mehr als 100"),
            ("3.14 und 1.234.567", "3,14 und 1.234.567"),
            ("v2.0, Version 1.2.3", "Version 2 Punkt 0, Version 1 Punkt 2 Punkt 3"),
            ("Dr. Müller und Prof. Klein", "Doktor Müller und Professor Klein"),
            (
                "Obst, z. B. Äpfel, d. h. Essen, usw.",
                "Obst, zum Beispiel Äpfel, das heißt Essen, und so weiter.",
            ),
            (
                "z.B. Birnen bzw. Äpfel, ca. 5, inkl. Steuer",
                "zum Beispiel Birnen beziehungsweise Äpfel, circa 5, inklusive Steuer",
            ),
            (
                "hans.meier@example.de auf www.example.de",
                "hans Punkt meier at example Punkt de auf example Punkt de",
            ),
            ("a < b und Tom & Jerry", "a ist kleiner als b und Tom und Jerry"),
            ("**Fett** und 😀 Bild", "Fett und Bild"),
            ("ja/nein, und/oder", "ja oder nein, und oder"),
            ("Größe, Maß, süß", "Größe, Maß, süß"),
        ],
    );
}

/// A written form sounds like the words for it.
#[test]
fn figures_sound_as_a_german_says_them() {
    let folder = crate::testing::espeak_data();
    let voice = Phonemizer::open(&folder, "de").unwrap();
    for (written, words) in [
        ("22,5 °C", "zweiundzwanzig Komma fünf Grad Celsius"),
        ("9:05 Uhr", "neun Uhr fünf"),
        ("am 4. März 2026", "am vierten März zwei tausend sechsundzwanzig"),
        ("3 kWh", "drei Kilowattstunden"),
        ("€ 5,99", "fünf Euro neun und neunzig"),
        ("1.234,5 km", "ein tausend zweihundert vier und dreißig Komma fünf Kilometer"),
        ("im Jahr 1984", "im Jahr neunzehn hundert vier und achtzig"),
        ("21:30 Uhr", "einundzwanzig Uhr dreißig"),
        ("1 Stunde 30 Minuten", "eine Stunde dreißig Minuten"),
    ] {
        let sound = |text: &str| {
            let phonemes = voice.sentences(text).unwrap().concat();
            // Stress and gaps depend on how words are written; what is heard are the sounds.
            phonemes.replace(['ˈ', 'ˌ', ' ', 'ː'], "")
        };
        assert_eq!(sound(&super::super::speakable(written, german())), sound(words), "{written}");
    }
}
