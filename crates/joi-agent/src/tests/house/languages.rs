//! The house, timers and lists in languages that the community's sentence templates understand, over a real connection to the
//! house to try; no model is asked.

use super::*;
use joi_language::Languages;
use joi_language::testing::spoken;
use joi_tools::{ToolServices, builtin};
use joi_understand::intents;

async fn housed_in(code: &str) -> Housed {
    let housed = Housed::with(vec![], |parts| {
        parts.languages = Languages::from(spoken(code));
        let services = ToolServices {
            store: parts.store.clone(),
            schedule: parts.schedule.clone(),
            reads_when: intents::when,
            clock: Arc::clone(&parts.clock),
            home: None,
            http: None,
        };
        parts.tools = builtin(&ToolsConfig::default(), &services).into();
    })
    .await;
    housed.bench.model.state.send_replace(scripted::knows_little());
    housed
}

/// A sentence, its answer, and the commands that are sent.
type SaidRow<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// Every sentence is answered as it says without the model, and sends these commands.
async fn all_are_done(code: &str, rows: &[SaidRow<'_>]) {
    let housed = housed_in(code).await;
    housed.bench.model.follows(Box::new(|_| scripted::answers("The model's words.")));
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
            (
                "Allume la lumière de la cuisine",
                "Allumé.",
                &[("Kitchen_Counter", "ON"), ("Kitchen_Light", "ON")],
            ),
            (
                "Éteins la lumière de la cuisine",
                "Éteint.",
                &[("Kitchen_Counter", "OFF"), ("Kitchen_Light", "OFF")],
            ),
            ("Allume Hall light", "Allumé.", &[("Hall_Light", "ON")]),
            ("Est-ce que Hall light est allumé ?", "Oui, c'est allumé.", &[]),
            ("Ferme les volets du salon", "Fermeture en cours.", &[("Living_Blinds", "DOWN")]),
            (
                "Mets la température du salon à 21 degrés",
                "Température réglée sur 21 degrés.",
                &[("Living_Setpoint", "21")],
            ),
            ("Quelle est la température du salon ?", "Thermostat, Living room : 21,4 degrés.", &[]),
            (
                "Déverrouille Front door lock",
                "Cela ouvre ou ferme un accès : dois-je vraiment le faire avec Front door lock ?",
                &[],
            ),
            ("Non", "D'accord, je n'y touche pas.", &[]),
            (
                "Allume la lumière dans la cuisine dans dix minutes",
                "Dans 10 minutes : Counter light allumé et Kitchen light allumé.",
                &[],
            ),
            ("Allume la lumière du garage", "Désolé, je n'ai pas trouvé de lumières dans cette pièce.", &[]),
            ("Mets un minuteur de dix minutes", "Minuteur, 10 minutes.", &[]),
            ("Combien de temps reste-t-il ?", "Minuteur : encore 10 minutes.", &[]),
            ("Ajoute du lait à la liste de courses", "Lait est sur la liste de courses.", &[]),
            ("Quelle heure est-il ?", "Il est 14 heures 05.", &[]),
            ("Annule le minuteur", "Minuteur de 10 minutes annulé.", &[]),
            ("Augmente le volume", "Plus fort.", &[]),
            ("Stop", "", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn spanish_is_understood_and_answered_in_spanish() {
    all_are_done(
        "es",
        &[
            (
                "Enciende la luz de la cocina",
                "Luces encendidas.",
                &[("Kitchen_Counter", "ON"), ("Kitchen_Light", "ON")],
            ),
            (
                "Apaga las luces de la cocina",
                "Luces apagadas.",
                &[("Kitchen_Counter", "OFF"), ("Kitchen_Light", "OFF")],
            ),
            ("Enciende Hall light", "Se ha activado la luz.", &[("Hall_Light", "ON")]),
            ("¿Está Hall light encendida?", "Sí, está encendido.", &[]),
            ("Baja las persianas del salón", "Cierre completado.", &[("Living_Blinds", "DOWN")]),
            (
                "Pon la temperatura del salón a 21 grados",
                "Temperatura ajustada.",
                &[("Living_Setpoint", "21")],
            ),
            ("¿Qué temperatura hace en el salón?", "Thermostat, Living room: 21,4 grados.", &[]),
            (
                "Abre la cerradura de Front door lock",
                "Eso abre o cierra una entrada: ¿de verdad lo hago con Front door lock?",
                &[],
            ),
            ("No", "Vale, lo dejo como está.", &[]),
            ("Pon un temporizador de diez minutos", "Temporizador, 10 minutos.", &[]),
            ("¿Cuánto queda?", "Temporizador: quedan 10 minutos.", &[]),
            ("Añade leche a la lista de la compra", "Leche está en la lista de la compra.", &[]),
            ("¿Qué hora es?", "Son las 14 y 05.", &[]),
            ("Cancela el temporizador", "Cancelado: temporizador de 10 minutos.", &[]),
            ("Sube el volumen", "Más alto.", &[]),
            ("Para", "", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn italian_is_understood_and_answered_in_italian() {
    all_are_done(
        "it",
        &[
            (
                "Accendi la luce in cucina",
                "Ho acceso le luci in cucina.",
                &[("Kitchen_Counter", "ON"), ("Kitchen_Light", "ON")],
            ),
            (
                "Spegni le luci in cucina",
                "Ho spento le luci in cucina.",
                &[("Kitchen_Counter", "OFF"), ("Kitchen_Light", "OFF")],
            ),
            ("Accendi Hall light", "Ho acceso Hall light.", &[("Hall_Light", "ON")]),
            ("Hall light è accesa?", "Sì, è acceso.", &[]),
            (
                "Chiudi le tapparelle in soggiorno",
                "Ho chiuso tutte le tapparelle.",
                &[("Living_Blinds", "DOWN")],
            ),
            (
                "Imposta la temperatura in soggiorno a 21 gradi",
                "Temperatura impostata a 21 gradi.",
                &[("Living_Setpoint", "21")],
            ),
            ("Quanti gradi ci sono in soggiorno?", "Thermostat, Living room: 21,4 gradi.", &[]),
            (
                "Sblocca Front door lock",
                "Questo apre o chiude un ingresso: lo faccio davvero con Front door lock?",
                &[],
            ),
            ("No", "Va bene, lascio stare.", &[]),
            ("Imposta un timer di dieci minuti", "Timer, 10 minuti.", &[]),
            ("Quanto manca?", "Timer: mancano 10 minuti.", &[]),
            ("Aggiungi il latte alla lista della spesa", "Il latte è sulla lista della spesa.", &[]),
            ("Che ore sono?", "Sono le 14 e 05.", &[]),
            ("Annulla il timer", "Annullato: timer di 10 minuti.", &[]),
            ("Alza il volume", "Più forte.", &[]),
            ("Basta", "", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn dutch_is_understood_and_answered_in_dutch() {
    all_are_done(
        "nl",
        &[
            (
                "Doe het licht in de keuken aan",
                "Verlichting aangezet.",
                &[("Kitchen_Counter", "ON"), ("Kitchen_Light", "ON")],
            ),
            (
                "Zet de lichten in de keuken uit",
                "Verlichting uitgezet.",
                &[("Kitchen_Counter", "OFF"), ("Kitchen_Light", "OFF")],
            ),
            ("Zet Hall light aan", "Aangezet.", &[("Hall_Light", "ON")]),
            ("Is Hall light aan?", "Ja, het is aan.", &[]),
            ("Sluit de rolluiken in de woonkamer", "Rolluiken gesloten.", &[("Living_Blinds", "DOWN")]),
            (
                "Zet de temperatuur in de woonkamer op 21 graden",
                "Temperatuur ingesteld op 21 graden.",
                &[("Living_Setpoint", "21")],
            ),
            ("Wat is de temperatuur in de woonkamer?", "Thermostat, Living room: 21,4 graden.", &[]),
            (
                "Ontgrendel Front door lock",
                "Dat opent of sluit een toegang: zal ik dat echt doen met Front door lock?",
                &[],
            ),
            ("Nee", "Goed, ik laat het zo.", &[]),
            ("Zet een timer van tien minuten", "Timer, 10 minuten.", &[]),
            ("Hoe lang duurt het nog?", "Timer: nog 10 minuten.", &[]),
            ("Zet melk op de boodschappenlijst", "Melk staat op de lijst boodschappen.", &[]),
            ("Hoe laat is het?", "Het is 14 uur 05.", &[]),
            ("Annuleer de timer", "Timer van 10 minuten geannuleerd.", &[]),
            ("Volume omhoog", "Harder.", &[]),
            ("Stop", "", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_to_be_done_or_is_only_spoken_of_is_not_done() {
    for (code, said) in [
        ("fr", ["N'allume pas la lumière de la cuisine", "J'ai allumé la lumière de la cuisine"]),
        ("es", ["No enciendas la luz de la cocina", "He encendido la luz de la cocina"]),
        ("it", ["Non accendere la luce in cucina", "Ho acceso la luce in cucina"]),
        ("nl", ["Doe het licht in de keuken niet aan", "Ik heb het licht in de keuken aangedaan"]),
    ] {
        let housed = housed_in(code).await;
        housed.bench.model.follows(Box::new(|_| scripted::answers("The model's words.")));
        for said in said {
            housed.says(said).await;
        }
        assert_eq!(housed.sent(), [], "{code}");
    }
}
