//! Two days of the weather over a real database, with time made by hand and a scripted service.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::{ToSpan as _, Zoned};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use joi_base::clock::ManualClock;
use joi_language::testing::in_english;
use joi_messages::testing::outbox;
use joi_proactive::alert::{AlertConfig, AlertParts};
use joi_proactive::awareness::AwarenessConfig;
use joi_schedule::announce::{AnnounceConfig, Announcer};
use joi_store::Store;
use joi_tools::WeatherConfig;

const PLACES: &str = r#"{"results":[{"name":"Vienna","latitude":48.2,"longitude":16.4}]}"#;

/// The gusts that the service foretells; above [`BROKEN`] it answers with nonsense.
#[derive(Default)]
struct Foretold {
    gust: AtomicUsize,
    looks: AtomicUsize,
}

const BROKEN: usize = 1000;

impl Foretold {
    fn body(&self, request: &str) -> String {
        if request.starts_with("GET /v1/search") {
            return PLACES.to_owned();
        }
        self.looks.fetch_add(1, Ordering::SeqCst);
        match self.gust.load(Ordering::SeqCst) {
            BROKEN.. => "no weather".to_owned(),
            gust => format!(
                r#"{{"current":{{"temperature_2m":7.2,"weather_code":3}},
                    "hourly":{{"wind_gusts_10m":[12,{gust}],"weather_code":[3,3]}}}}"#
            ),
        }
    }
}

async fn serve(foretold: Arc<Foretold>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let foretold = Arc::clone(&foretold);
            tokio::spawn(async move {
                let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut buffer).await {
                        Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
                        _ => return,
                    }
                }
                let body = foretold.body(&String::from_utf8_lossy(&request));
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                // A client that has gone is not a failure here.
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            });
        }
    });
    url
}

struct Bench {
    clock: Arc<ManualClock>,
    foretold: Arc<Foretold>,
    watcher: WeatherWatcher,
}

fn noon() -> Zoned {
    "2026-03-04T12:00[Europe/Vienna]".parse().unwrap()
}

async fn bench() -> Bench {
    let clock = Arc::new(ManualClock::at(noon()));
    let shown = Arc::clone(&clock) as Arc<dyn Clock>;
    let store = Store::in_memory().unwrap();
    let announcer = Announcer::new(&AnnounceConfig::default(), None, Arc::clone(&shown));
    let rules = AwarenessConfig::default();
    let awareness = Awareness::recalled(&rules, Some(store.clone()), Arc::clone(&shown)).await;
    let outbox = outbox(store.clone(), Arc::clone(&shown), &[]);
    let alerts = Alerts::new(AlertParts {
        config: AlertConfig::default(),
        announcer,
        outbox,
        store: Some(store),
        languages: in_english(),
    });
    let foretold = Arc::new(Foretold::default());
    let url = serve(Arc::clone(&foretold)).await;
    let weather = WeatherConfig {
        place: "Vienna".into(),
        forecast_url: url.clone(),
        places_url: url,
        ..WeatherConfig::default()
    };
    let parts = WeatherParts {
        awareness,
        alerts,
        clock: shown,
        languages: in_english(),
        http: HttpClient::public().unwrap(),
        tools: ToolsConfig { weather, ..ToolsConfig::default() },
    };
    Bench { clock, foretold, watcher: WeatherWatcher::new(parts) }
}

impl Bench {
    async fn minutes(&mut self, minutes: u32) {
        for _ in 0..minutes {
            self.watcher.step().await;
            self.clock.set(self.clock.now().checked_add(1.minute()).unwrap());
        }
    }

    fn looks(&self) -> usize {
        self.foretold.looks.load(Ordering::SeqCst)
    }

    fn weather(&self) -> Option<String> {
        let now = self.clock.now().timestamp();
        self.watcher.parts.awareness.state().weather(now).map(str::to_owned)
    }
}

#[tokio::test]
async fn the_weather_is_looked_at_every_four_hours_and_a_failure_is_repeated_after_growing_waits() {
    fastrand::seed(7);
    let mut bench = bench().await;
    bench.minutes(48 * 60).await;
    assert!((10..=13).contains(&bench.looks()), "{}", bench.looks());
    assert_eq!(bench.weather().as_deref(), Some("7 °C, an overcast sky"));
    bench.foretold.gust.store(BROKEN, Ordering::SeqCst);
    let before = bench.looks();
    bench.minutes(9 * 60).await;
    let failed = bench.looks() - before;
    assert!((8..=30).contains(&failed), "half a minute, one, two, …: {failed}");
    assert_eq!(bench.weather(), None, "what is old is not told as true");
    bench.foretold.gust.store(10, Ordering::SeqCst);
    bench.minutes(4 * 60 + 31).await;
    assert!(bench.weather().is_some());
}

#[tokio::test]
async fn a_storm_is_an_alarm_once_and_strong_wind_a_topic() {
    let mut bench = bench().await;
    let topics = |bench: &Bench| bench.watcher.parts.awareness.state().topics.len();
    for (gust, alarms, worth) in [(40, 0, 0), (80, 0, 1), (84, 0, 1), (110, 1, 1), (130, 1, 1), (40, 1, 1)] {
        bench.foretold.gust.store(gust, Ordering::SeqCst);
        bench.minutes(4 * 60 + 31).await;
        let unheard = bench.watcher.parts.alerts.unheard();
        assert_eq!((unheard.len(), topics(&bench)), (alarms, worth), "{gust} km/h: {unheard:?}");
    }
    let said = bench.watcher.parts.alerts.unheard()[0].sentence();
    let said = said.sentence(joi_language::testing::english(), &noon());
    assert_eq!(said, "Attention! Storm warning: gusts of up to 110 km/h.");
    bench.foretold.gust.store(120, Ordering::SeqCst);
    bench.minutes(4 * 60 + 31).await;
    assert_eq!(bench.watcher.parts.alerts.unheard().len(), 2, "another storm");
}
