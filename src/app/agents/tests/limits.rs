//! Models and sensors that misbehave.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_model_that_never_yields_is_held_by_every_limit() {
    let mut bench = Bench::new(GARAGE, |_| "Nothing to do.".to_owned());
    let began = bench.clock.now();
    for _ in 0..360 {
        bench.pass(10).await;
    }
    let held = |guardrail| move |news: &AgentNews| matches!(news, AgentNews::GuardrailTriggered { guardrail: one, .. } if *one == guardrail);
    assert!(bench.count(held(Guardrail::MaxConsecutiveTurns)) >= 1);
    let tokens = bench.seen.iter().map(|event| match &event.news {
        AgentNews::TurnCompleted { tokens, .. } => *tokens,
        _ => 0,
    });
    let tokens: u64 = tokens.sum();
    assert!((50_000..=100_000).contains(&tokens), "{tokens} tokens within an hour");
    assert!(bench.clock.now().duration_since(&began).as_secs() >= 3_600);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_talks_without_end_says_no_more_than_ten_sentences_a_minute() {
    let number = StdMutex::new(0);
    let mut bench = Bench::taking(Duration::from_millis(10), GARAGE, move |_| {
        let mut number = number.lock().unwrap();
        *number += 1;
        call("say", json!({ "text": format!("This is sentence number {number}.") }))
    });
    bench.pass(50).await;
    let said = |news: &AgentNews| match news {
        AgentNews::TurnCompleted { actions, .. } => *actions,
        _ => 0,
    };
    assert_eq!(bench.seen.iter().map(|event| said(&event.news)).sum::<u32>(), 10);
    let out =
        |news: &AgentNews| matches!(news, AgentNews::TurnCompleted { end: TurnEnding::OutOfActions, .. });
    assert_eq!(bench.count(out), 1);
    assert_eq!(bench.announced().len(), 10);
}

impl Bench {
    /// Tokens of all turns that are over.
    fn tokens(&self) -> u64 {
        let of = |event: &AgentEvent| match &event.news {
            AgentNews::TurnCompleted { tokens, .. } => *tokens,
            _ => 0,
        };
        self.seen.iter().map(of).sum()
    }

    async fn hours(&mut self, hours: u64) {
        for _ in 0..hours * 360 {
            self.pass(10).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_yields_nonsense_does_nothing_and_stays_within_every_limit() {
    let number = StdMutex::new(0);
    let mut bench = Bench::new(GARAGE, move |_| {
        let mut number = number.lock().unwrap();
        *number += 1;
        match *number % 8 {
            0 => call("yield", json!({ "mode": "sleep" })),
            1 => call("yield", json!({ "mode": "sleep", "sleep": -5 })),
            2 => call("yield", json!({ "mode": "sleep", "sleep": 1e300 })),
            3 => call("yield", json!({ "mode": "for ever", "sleep": number.to_string() })),
            4 => call("yield", json!({ "sleep": { "seconds": 5 }, "wake_early_if": "opened" })),
            5 => "```tool_call\n{\"name\": \"yield\", \"arguments\": {\"mode\":".to_owned(),
            6 => "yield yield yield \u{0} </s> {}".to_owned(),
            _ => call("yeild", json!({ "mode": "sleep", "sleep": 60 })),
        }
    });
    bench.hours(2).await;
    assert!((20_000..=200_000).contains(&bench.tokens()), "{} tokens within two hours", bench.tokens());
    assert_eq!((bench.deeds(), bench.announced()), (0, vec![]));
    let held = |news: &AgentNews| matches!(news, AgentNews::GuardrailTriggered { .. });
    assert!(bench.count(held) >= 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_asks_for_everything_gets_nothing_that_needs_a_yes() {
    let number = StdMutex::new(0);
    let mut bench = Bench::new(GARAGE, move |_| {
        let mut number = number.lock().unwrap();
        *number += 1;
        let deed = |number: u32| call("closeGarage", json!({ "why": format!("reason {number}") }));
        match *number % 6 {
            0 => call("closeGarage", json!({})),
            1 => deed(*number),
            2 => call("homeCommand", json!({ "item": "Garage_Door", "command": "UP" })),
            3 => call("set_state", json!({ "field": "door", "value": format!("mine {number}") })),
            4 => call("set_state", json!({ "field": "everything", "value": "mine" })),
            _ => [call("closeGarage", json!({})), call("say", json!({ "text": "Let me." }))].join("\n"),
        }
    });
    bench.hours(2).await;
    assert_eq!(bench.deeds(), 0);
    assert!(bench.agents.rows()[0].approvals.len() <= 8, "{:?}", bench.agents.rows());
    let pending = bench.count(|news| matches!(news, AgentNews::ApprovalPending { .. }));
    assert!((1..=96).contains(&pending), "eight at most in ten minutes: {pending}");
    assert!(bench.tokens() <= 200_000, "{} tokens within two hours", bench.tokens());
    let said = bench.count(|news| matches!(news, AgentNews::TurnCompleted { actions, .. } if *actions > 10));
    assert_eq!(said, 0, "no turn speaks more than ten times");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_neither_deafens_the_agent_nor_sets_it_free() {
    let mut bench = Bench::new(GARAGE, watchful);
    bench.pass(60).await;
    let jump = |bench: &Bench, hours: i64| {
        *bench.clock.set_by.lock().unwrap() += SignedDuration::from_hours(hours);
    };
    for (hours, opens) in [(24, "0"), (-48, "100"), (24 * 365, "0"), (-24 * 365, "100")] {
        let before = (bench.turns(), bench.announced().len());
        jump(&bench, hours);
        bench.pass(300).await;
        assert!(bench.turns() <= before.0 + 2, "{hours}: {} turns", bench.turns());
        bench.house.send_replace(garage(opens));
        bench.pass(120).await;
        assert_eq!(bench.announced().len(), before.1 + usize::from(opens == "0"), "{hours}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_sensor_that_fails_for_an_hour_keeps_the_agent_from_nothing() {
    let agent = format!(
        "{GARAGE}\n[sensors.gone]\nhouse = \"No_Such_Item\"\nupdates = [\"door\"]\ninterval_s = 30\n\
        [sensors.broken]\nurl = \"http://127.0.0.1:1/\"\nupdates = [\"door\"]\ninterval_s = 30"
    );
    let mut bench = Bench::new(&agent, watchful);
    bench.pass(3_500).await;
    let failed =
        |news: &AgentNews| matches!(news, AgentNews::SensorError { sensor, .. } if sensor == "broken");
    let failures = bench.count(failed);
    assert!((10..=16).contains(&failures), "{failures}: fewer and fewer attempts");
    bench.house.send_replace(garage("0"));
    bench.pass(60).await;
    assert_eq!(bench.announced(), ["The garage door is open."]);
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_events_is_few_reports_and_few_turns() {
    let mut bench = Bench::new(GARAGE, watchful);
    bench.pass(10).await;
    for _ in 0..5 {
        for number in 0..2_000 {
            bench.house.send_replace(garage(if number % 2 == 0 { "30" } else { "60" }));
            tokio::task::yield_now().await;
        }
        bench.pass(1).await;
    }
    bench.pass(5).await;
    let reports = bench.count(|news| matches!(news, AgentNews::SensorUpdated { .. }));
    assert!(reports <= 12, "{reports}");
    assert_eq!(bench.turns(), 2, "its first look, and that it opened");
}

#[tokio::test(start_paused = true)]
async fn whoever_talks_with_joi_has_the_model_at_once() {
    let mut bench = Bench::taking(Duration::from_secs(60), GARAGE, watchful);
    bench.pass(10).await;
    let talking = bench.agents.talk("garage", "hello");
    let began = Instant::now();
    assert!(talking.await.is_ok());
    assert!(
        began.elapsed() <= Duration::from_secs(61),
        "it did not wait for the turn: {:?}",
        began.elapsed()
    );
    bench.pass(200).await;
    let interrupted =
        |news: &AgentNews| matches!(news, AgentNews::TurnCompleted { end: TurnEnding::Interrupted, .. });
    assert_eq!(bench.count(interrupted), 1);
    assert!(bench.turns() >= 2, "it is made up for");
}
