//! What may be done with a thing of the house by voice, in words.
//!
//! Pure: no I/O, no clock.

use joi_home::house::{Caution, CautionCause, Item, Permission};

fn caution(item: &Item) -> &'static str {
    match item.caution {
        Caution::None => "",
        Caution::AskFirst(CautionCause::Entrance) => "asks first (entrance)",
        Caution::AskFirst(CautionCause::Valve) => "asks first (valve)",
        Caution::AskFirst(CautionCause::Alarm) => "asks first (alarm)",
        Caution::AskFirst(CautionCause::Configured) => "asks first (danger, or home.ask_first)",
    }
}

/// Returns what may be done with `item` by voice.
pub fn by_voice(item: &Item) -> String {
    match item.permission {
        Permission::ReadWrite if item.is_read_only => "read only (its description says so)".to_owned(),
        Permission::ReadWrite if !item.kind.takes_commands() => {
            "read only (its type takes no command)".to_owned()
        }
        permission => {
            let caution = caution(item);
            if caution.is_empty() {
                permission.name().to_owned()
            } else {
                format!("{}, {caution}", permission.name())
            }
        }
    }
}
