//! The house, timers and lists in languages that the community's sentence templates understand, over a real connection to the
//! house to try; no model is asked.

use super::*;
use joi_language::Languages;
use joi_language::testing::spoken;

async fn housed_in(code: &str) -> Housed {
    Housed::with(vec![], |parts| parts.languages = Languages::from(spoken(code))).await
}

/// Every sentence is answered as it says without the model, and sends these commands.
async fn all_are_done(code: &str, rows: &[(&str, &str, &[(&str, &str)])]) {
    let housed = housed_in(code).await;
    let mut wrong = Vec::new();
    for (said, expected, commands) in rows {
        let before = housed.sent().len();
        let ran = housed.bench.say(said).await;
        let (told, new) = (ran.shown(), housed.sent()[before..].to_vec());
        if (told.as_str(), &new) != (*expected, &sent(commands)) {
            wrong.push(format!("{said}: {told} {new:?}"));
        }
    }
    assert_eq!(wrong, [""; 0], "{code}");
    assert_eq!(housed.bench.model.requests().len(), 0, "{code}");
}

#[tokio::test]
async fn french_is_understood_and_answered_in_french() {
    all_are_done(
        "fr",
        &[
            ("Allume la lumière de la cuisine", "", &[]),
            ("Éteins la lumière de la cuisine", "", &[]),
            ("Allume Hall light", "", &[]),
            ("Est-ce que Hall light est allumé ?", "", &[]),
            ("Ferme les volets du salon", "", &[]),
            ("N'allume pas la lumière de la cuisine", "", &[]),
            ("Mets la température du salon à 21 degrés", "", &[]),
            ("Quelle est la température du salon ?", "", &[]),
            ("Déverrouille Front door lock", "", &[]),
            ("Non", "", &[]),
            ("Mets un minuteur de dix minutes", "", &[]),
            ("Combien de temps reste-t-il ?", "", &[]),
            ("Ajoute du lait à la liste de courses", "", &[]),
            ("Quelle heure est-il ?", "", &[]),
            ("Annule le minuteur", "", &[]),
            ("Augmente le volume", "", &[]),
            ("Stop", "", &[]),
        ],
    )
    .await;
}
