//! Stories told through the public interface, one file each under `stories/`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, what was not expected ends it")]

#[expect(dead_code, reason = "some of it is for the live stories only")]
mod support;
#[path = "../crates/joi-model/tests/api/tiny.rs"]
mod tiny;

mod stories {
    mod acting;
    mod agents;
    mod alarms;
    mod backup;
    mod choice;
    mod commands;
    mod conversation;
    mod faults;
    mod goals;
    mod house;
    mod house_events;
    mod initiative;
    mod install;
    mod kills;
    mod kills_commands;
    mod languages;
    mod lingering;
    mod memory;
    mod messages;
    mod mind;
    mod mishaps;
    mod model_server;
    mod model_server_faults;
    mod openai_server;
    mod page;
    mod programs;
    mod recall;
    mod room_satellites;
    mod rooms;
    mod service;
    mod sound_server;
    mod sound_server_echo;
    mod sound_server_faults;
    mod timers;
    mod trust;
    mod two_rooms;
    mod uses;
    mod voice;
    mod wake;
    mod watches;
}
