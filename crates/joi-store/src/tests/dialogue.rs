//! The dialogue: times of its messages, and whose words are read where.

use super::*;

#[tokio::test]
async fn messages_of_one_tick_get_rising_times() {
    let store = Store::in_memory().unwrap();
    for _ in 0..2 {
        let same = Exchange { answered_at: at(0), ..exchange(Channel::Voice, 0, "a", "b") };
        store.add_exchange(same).await.unwrap();
    }
    let rows = store.dialogue_since(at(-10), 100).await.unwrap();
    let times: Vec<i64> = rows.iter().map(|r| r.at.as_millisecond() - at(0).as_millisecond()).collect();
    assert_eq!(times, [0, 1, 2, 3]);
}

#[tokio::test]
async fn what_agents_say_to_themselves_is_no_part_of_the_dialogue() {
    let (path, _folder) = somewhere();
    let store = Store::open(&path).unwrap();
    let run = |name: &str| ConversationId::agent(name);
    for (second, conversation, asked) in [
        (0, conversation(Channel::Voice), "I keep bees"),
        (10, run("one"), "count the bees"),
        (20, run("two"), "feed the bees"),
        (30, conversation(Channel::Signal), "are they well"),
    ] {
        let said = exchange(conversation.channel, second, asked, "Yes.");
        store.add_exchange(Exchange { conversation, ..said }).await.unwrap();
    }
    let asked = |rows: Vec<DialogueRow>| -> Vec<String> {
        let users = rows.into_iter().filter(|row| row.role == DialogueRole::User);
        users.map(|row| row.text.0).collect()
    };
    assert_eq!(asked(store.dialogue_since(at(0), 4).await.unwrap()), ["I keep bees", "are they well"]);
    assert_eq!(asked(store.beyond_diary(9).await.unwrap()), ["I keep bees", "are they well"]);
    assert_eq!(asked(store.dialogue_within(run("one"), at(0), 9).await.unwrap()), ["count the bees"]);
    let sought = MemoryQuery { words: vec!["bees".into()], now: at(40), limit: 9, ..MemoryQuery::default() };
    let found: Vec<String> = store.search(sought).await.unwrap().into_iter().map(|hit| hit.text.0).collect();
    assert_eq!(found, ["I keep bees"]);
    for (id, channel) in [(1, Channel::Voice), (2, Channel::Agent), (3, Channel::Agent)] {
        let turn = TurnRecord { channel, ..record(id, at(id as i64), "bees") };
        store.save_turn(&turn).await.unwrap();
    }
    let of_user: Vec<TurnId> = store.turns_of_user(1).await.unwrap().iter().map(|turn| turn.id).collect();
    assert_eq!(of_user, [TurnId(1)]);
}
