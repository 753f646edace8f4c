//! Runs one search with the user's own question, without a model.
//!
//! Runs in the task of one turn. Input: the loop of an answer at its beginning, and the question. Output: the pages
//! found; what is said of them is decided elsewhere. The gate is asked as for every call, and the call is put on
//! record.

use super::call::Called;
use super::state::{LoopState, Success};
use super::{CallPlace, Only};
use crate::agent::AgentContext;
use crate::agent::ask::WrittenCalls;
use crate::model::ChatModel;
use crate::sink::{ReceiverClosed, ReplySink};
use joi_answer::protocol::WrittenCall;
use joi_tools::gate::Consent;
use joi_tools::{Arguments, FoundPage, WEB_SEARCH};

/// The longest query, in characters.
const LONGEST_QUERY: usize = 200;

impl<M: ChatModel> AgentContext<'_, M> {
    /// Searches the web for `query`; nothing when it can't be searched, or may not.
    pub(crate) async fn look_up(
        &self,
        mut state: LoopState,
        query: &str,
        consent: Consent,
        sink: &mut ReplySink,
    ) -> Result<Option<Vec<FoundPage>>, ReceiverClosed> {
        let query: String = query.chars().take(LONGEST_QUERY).collect();
        let arguments = Arguments::from_iter([("query".to_owned(), query.into())]);
        let made = WrittenCall { id: None, name: WEB_SEARCH.to_owned(), arguments };
        let calls = vec![made.clone()];
        state.append_calls(&WrittenCalls { calls, words: String::new(), thinking: String::new() }, sink);
        let wish = self.wish(&state, &made);
        let place = CallPlace { made: &made, wish, behind: &[], only: Only::Yes };
        let called = self.call(&mut state, &place, consent, sink).await?;
        let (text, success) = match called {
            Called::Told { text, success, .. } => (text, success),
            Called::Ask(_) => ("The user has to be asked first.".to_owned(), Success::No),
            Called::Answer(text) | Called::End(text) => (text, Success::No),
            Called::Stop => (String::new(), Success::No),
        };
        state.append_result(&made, &text, success, sink);
        Ok((success == Success::Yes).then_some(state.progress.pages))
    }
}
