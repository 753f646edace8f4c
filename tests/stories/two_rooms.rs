//! Two rooms in one process: each has ears, a voice and a conversation of its own, and one brain is behind both.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use joi::app::{Brain, Conversing, Sound, converse_at};
use joi::config::{Config, load_text};
use joi_audio::{Pace, RATE, read_wav, write_wav};
use joi_base::message::Place;
use joi_base::paths::Paths;
use joi_base::trace::TurnRecord;
use joi_channels::voice::News;
use joi_schedule::announce::{Announcement, AnnouncementOrigin, AnnouncementPriority, IfUnheard};
use tokio::sync::Notify;

use crate::support::ollama_double::{Double, Script};
use crate::support::program::{cache_home, models};
use crate::support::speech::{plain, questions};

const ANSWER: &str = "The sky is blue because the air scatters blue light more than red light.";

struct House {
    config: Config,
    paths: Paths,
    brain: Brain,
    folder: PathBuf,
}

impl House {
    async fn with_model_server(url: &str, folder: &Path) -> Self {
        let text = format!(
            "[llm]\nbackend = \"ollama\"\nmodel = \"double:1b\"\nurl = \"{url}\"\n\
             [hear.stt]\nmodel = \"tiny.en\"\n[announce]\nquiet_hours = []\n"
        );
        let config = load_text(&text, "joi.toml", &[]).unwrap().config;
        let inside = |name: &str| folder.join(name);
        let paths = Paths {
            config: inside("joi.toml"),
            models: models(),
            packaged: Vec::new(),
            data: inside("data"),
            runtime: inside("run"),
            cache: cache_home().join("joi"),
        };
        let brain = Brain::start(&config, &paths).await.unwrap();
        brain.mind.ready().await.unwrap();
        Self { config, paths, brain, folder: folder.to_owned() }
    }

    /// A room in which this is said.
    async fn room(&self, name: &str, said: &[f32]) -> Room {
        let input = self.folder.join(format!("{name}-said.wav"));
        let output = self.folder.join(format!("{name}-answer.wav"));
        write_wav(&input, RATE, said).unwrap();
        let sound = Sound::Files { input, output: output.clone(), pace: Pace::Fast };
        let place = Place::named(name);
        let conversing = converse_at(place, &self.config, &self.paths, &self.brain, sound).await.unwrap();
        Room { conversing, output }
    }
}

/// A room, and what happened in it.
struct Room {
    conversing: Conversing,
    output: PathBuf,
}

struct Told {
    turns: Vec<TurnRecord>,
    announced: Vec<String>,
    /// Seconds in which something sounded.
    sounded: f64,
}

impl Room {
    /// Talks to the end of the recording; `understood` is told of the first question.
    async fn talk(self, understood: Arc<Notify>) -> Told {
        let Conversing { conversation, mut news, stop, player, .. } = self.conversing;
        let (mut turns, mut announced) = (Vec::new(), Vec::new());
        let listening = async {
            while let Some(news) = news.recv().await {
                match news {
                    News::Understood(_) => understood.notify_one(),
                    News::Turn(turn) => turns.push(*turn),
                    News::Told(text) => announced.push(text.0),
                    _ => {}
                }
            }
        };
        tokio::join!(conversation.run(stop), listening);
        tokio::task::spawn_blocking(move || player.finish()).await.unwrap().unwrap();
        let samples = read_wav(&self.output, RATE).unwrap();
        let loud = samples.chunks(80).filter(|piece| piece.iter().any(|s| s.abs() > 0.01)).count();
        Told { turns, announced, sounded: loud as f64 * 80.0 / f64::from(RATE) }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_rooms_are_answered_at_the_same_time_and_each_hears_its_own_answer() {
    let double = Double::start().await;
    let gate = Arc::new(Notify::new());
    double.when("sky", vec![Script::words(ANSWER).waiting_at(0, &gate)]);
    let folder = tempfile::tempdir().unwrap();
    let house = House::with_model_server(&double.url, folder.path()).await;
    let ripe =
        Announcement::new(AnnouncementOrigin::Agent, AnnouncementPriority::Notice, "The tomatoes are ripe.");
    // The wake phrase cuts it short: then it comes after the answer.
    let place = Some(Place::named("bedroom"));
    let bedroom_only = Announcement { place, if_unheard: IfUnheard::Keep, ..ripe };
    house.brain.announcer.announce(bedroom_only).await;
    let [time, sky] = questions();
    let (kitchen, bedroom) = (house.room("kitchen", &sky).await, house.room("bedroom", &time).await);

    let asked = Arc::new(Notify::new());
    let kitchen = tokio::spawn(kitchen.talk(Arc::clone(&asked)));
    asked.notified().await;
    // The kitchen waits for the model, and the bedroom waits for nobody.
    let bedroom = bedroom.talk(Arc::default()).await;
    assert!(!kitchen.is_finished(), "the model has not answered yet");
    gate.notify_one();
    let kitchen = kitchen.await.unwrap();

    let heard = |told: &Told| told.turns.iter().map(|turn| plain(&turn.heard)).collect::<Vec<_>>();
    assert_eq!(heard(&bedroom), ["what time is it"]);
    assert_eq!(heard(&kitchen), ["why is the sky blue"]);
    assert!(bedroom.turns[0].reply.starts_with("It's "), "{:?}", bedroom.turns);
    assert_eq!(kitchen.turns[0].reply, ANSWER);
    assert!(kitchen.sounded > 2.0 && bedroom.sounded > 1.0, "{} s, {} s", kitchen.sounded, bedroom.sounded);
    assert_eq!(bedroom.announced, ["The tomatoes are ripe."], "what is meant for a room is said there");
    assert_eq!(kitchen.announced, [""; 0]);
    assert_eq!(house.brain.announcer.counts().heard, 1);
    house.brain.shutdown().await;
}
