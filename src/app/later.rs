//! Carries out commands to the house that are due.
//!
//! Runs in the task that watches the schedule. In: commands as they were ordered. Out: what became of them. Each is checked
//! anew and sent once; what would have to be asked about is not sent, since nobody is there to say yes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use tokio::time::timeout;

use joi_home::house::{Caution, House, Ordered, typed};
use joi_home::{CommandOutcome, FOLLOWS_WITHIN, Home, SendFault};
use joi_schedule::{HouseHand, LaterCommand, LaterOutcome};

/// A house that is just starting is waited for this long.
const REACHED_WITHIN: Duration = Duration::from_secs(10);
/// After this long nobody knows what became of a command.
const KNOWN_WITHIN: Duration = Duration::from_secs(15);

/// A house that commands are sent to.
pub(super) struct LaterHand(pub(super) Arc<dyn Home>);

impl HouseHand for LaterHand {
    fn obey(&self, commands: Vec<LaterCommand>) -> BoxFuture<'static, LaterOutcome> {
        obey(Arc::clone(&self.0), commands).boxed()
    }
}

async fn obey(home: Arc<dyn Home>, commands: Vec<LaterCommand>) -> LaterOutcome {
    let mut seen = home.watch();
    let house = match timeout(REACHED_WITHIN, seen.wait_for(|view| view.link.is_up())).await {
        Ok(Ok(view)) => view.house.clone(),
        _ => return LaterOutcome::Failed,
    };
    let Some(ordered) = commands.iter().map(|one| ordered(one, &house)).collect::<Option<Vec<_>>>() else {
        return LaterOutcome::Failed;
    };
    let sent =
        ordered.iter().map(|one| timeout(KNOWN_WITHIN, joi_home::command(&*home, one, FOLLOWS_WITHIN)));
    let all = join_all(sent).await;
    let is_unknown = |outcome: &Result<CommandOutcome, _>| {
        matches!(outcome, Err(_) | Ok(CommandOutcome::Failed(SendFault::OutcomeUnknown(_))))
    };
    let is_failed = |outcome: &Result<CommandOutcome, _>| {
        matches!(outcome, Ok(CommandOutcome::Failed(_) | CommandOutcome::NotConfirmed(_)))
    };
    match () {
        () if all.iter().any(is_unknown) => LaterOutcome::Unknown,
        () if all.iter().any(is_failed) => LaterOutcome::Failed,
        () => LaterOutcome::Done,
    }
}

/// Returns the command as it may be sent now; nothing when it may not.
fn ordered(later: &LaterCommand, house: &House) -> Option<Ordered> {
    let command = typed::command(&later.text, house.item(&later.item)?).ok()?;
    house.order(&later.item, &command).ok().filter(|ordered| ordered.caution == Caution::None)
}

#[cfg(test)]
mod tests;
