//! Handles what a model must not answer by itself: matters of harm, whatever the model, and facts that one with little
//! knowledge is likely to get wrong.
//!
//! Runs in the task of the turn. Input: a request that no quick command answers. Output: a fixed sentence for a matter,
//! with the offer to look it up where nobody is in danger now; for a fact the model's answer, said to be unsure, with
//! the same offer. A yes searches the web with the user's own question and quotes what was found as the words of its
//! site; about a matter only sites that the language names.

use std::sync::Arc;
use std::time::Duration;

use super::agent::prompt_kind::PromptKind;
use super::agent::request::TurnRequest;
use super::agent::router::ToolChoice;
use super::agent::setup::{self, Prepared};
use super::confirmation::QuestionOutcome;
use super::model::ChatModel;
use super::session::LastMatter;
use super::session::open_question::{LookUpOffer, OpenQuestion, open_until};
use super::turn::{Ended, Keep, Turn};
use super::turn_context::TurnContext;
use crate::sink::{ReceiverClosed, ReplySink};
use joi_answer::plan::Plan;
use joi_answer::source::{self, QuoteRule, SourceTrust};
use joi_base::message::Channel;
use joi_language::LookUpSentences;
use joi_language::{Language, MatterUrgency};
use joi_llm::Knowledge;
use joi_tools::gate::Consent;
use joi_tools::{LookUpMode, WEB_SEARCH};
use joi_understand::intents;
use joi_understand::question::{content_words, is_past};
use joi_understand::risk::{self, AnswerRisk};

mod reach;

/// A look-up.
pub(super) struct LookUp {
    /// The user's own question.
    pub(super) query: String,
    pub(super) trust: SourceTrust,
    pub(super) consent: Consent,
}

/// The outcome of a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookedUp {
    /// A page was quoted.
    Quoted,
    /// Nothing that was found answers the question.
    Nothing,
    /// Nothing could be looked up.
    Failed,
}

/// Choices for something that a look-up settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remedy {
    Offer,
    AtOnce,
    /// The owner does not want it.
    Nothing,
    /// The tool is switched off.
    SwitchedOff,
}

impl<M: ChatModel> TurnContext<'_, M> {
    /// The answer to a matter in which a wrong word does harm, in place of any model's; nothing when it is none, or one
    /// that is left to a model with fair knowledge.
    pub(super) async fn careful(
        &self,
        turn: &Turn<'_>,
        sink: &mut ReplySink,
    ) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
        let before = self.session.with(|state| state.matter.take());
        let Some((matter, answer)) = self.matter(turn, before.as_ref()) else { return Ok(None) };
        let urgency = risk::urgency(&turn.language, &matter);
        let why = "a wrong word would do harm";
        sink.decided("care", matter.as_str(), why).await?;
        sink.say_on(&answer).await?;
        // What only goes on with a matter asks nothing by itself.
        let goes_on =
            before.filter(|_| risk::risk_of(&turn.language, turn.asked, None) == AnswerRisk::Everyday);
        let own = query_of(turn);
        let query = goes_on.map_or_else(|| own.to_owned(), |before| format!("{} {own}", before.query));
        self.session.with(|state| state.matter = Some(LastMatter { name: matter, query: query.clone() }));
        // A user in danger is not delayed with questions.
        if urgency == MatterUrgency::Careful && !turn.is_followed {
            self.remedy_matter(turn, query, sink).await?;
        }
        Ok(Some((Ended::Quick, Keep::Yes)))
    }

    /// Returns whether the words, as the conversation stands, are such a matter.
    pub(super) fn is_careful(&self, turn: &Turn<'_>) -> bool {
        let before = self.session.with(|state| state.matter.clone());
        self.matter(turn, before.as_ref()).is_some()
    }

    /// The matter of the words behind the one `before`, and what is said to it.
    fn matter(&self, turn: &Turn<'_>, before: Option<&LastMatter>) -> Option<(String, String)> {
        let name = before.map(|before| before.name.as_str());
        let AnswerRisk::Matter(matter) = risk::risk_of(&turn.language, turn.asked, name) else { return None };
        let is_left = || turn.language.safety().iter().any(|words| words.is_left_to_larger(&matter));
        if self.engine.answering().knowledge == Knowledge::Fair && is_left() {
            return None;
        }
        let number = self.engine.parts.context.emergency_number.trim();
        let answer = turn.language.safety().iter().find_map(|words| words.answer(&matter, number))?;
        Some((matter, answer))
    }

    /// The answer to an emergency, which nothing else in the utterance takes the place of; nothing where there is none.
    /// Whoever says "stop" beside it wants what rings to be silent.
    pub(super) async fn urgent(
        &self,
        turn: &Turn<'_>,
        sink: &mut ReplySink,
    ) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
        if !is_emergency(turn) {
            return Ok(None);
        }
        let answered = self.careful(turn, sink).await?;
        if answered.is_some() && turn.origin.is_owners() && intents::says_stop(&turn.language, turn.asked) {
            self.engine.silence(turn.place).await;
        }
        Ok(answered)
    }

    /// Looks a matter up, offers to, or says that it can't be.
    async fn remedy_matter(
        &self,
        turn: &Turn<'_>,
        query: String,
        sink: &mut ReplySink,
    ) -> Result<(), ReceiverClosed> {
        let say = look_up_sentences(&turn.language);
        match self.remedy(turn) {
            Remedy::SwitchedOff => sink.say_on(say.map_or("", |say| &say.switched_off)).await,
            Remedy::AtOnce => {
                let wanted = LookUp { query, trust: SourceTrust::Known, consent: Consent::NotAsked };
                let ended = self.look_up(turn, &wanted, sink).await?;
                self.say_failure(turn, ended, sink).await
            }
            Remedy::Offer => self.offer(turn, query, SourceTrust::Known, sink).await,
            Remedy::Nothing => Ok(()),
        }
    }

    /// Returns whether a request is for a fact that the model is likely to get wrong, and is no tool's.
    pub(super) fn is_doubtful(&self, request: &TurnRequest<'_>) -> bool {
        let turn = request.turn;
        let is_tools = || {
            let names = request.tools.by_words(turn.asked, &turn.language);
            names.iter().any(|name| !["webSearch", "readPage"].contains(&name.as_str()))
        };
        request.answering.knowledge == Knowledge::Scant
            && risk::risk_of(&turn.language, turn.asked, None) == AnswerRisk::Fact
            && !is_tools()
    }

    /// Returns whether a request is about what only the user can know and has not said, and the model can't be relied
    /// on.
    pub(super) fn is_unanswerable(&self, request: &TurnRequest<'_>, remembered: &str) -> bool {
        let turn = request.turn;
        let was_told = || {
            let said = request.past.own_texts.iter().filter(|text| !text.contains('?'));
            let told: Vec<String> = said.flat_map(|text| content_words(text)).collect();
            // That something else was said of yesterday says nothing of it.
            let is_told = |word: &String| told.contains(word) && !is_past(word, &turn.now);
            let is_named = |text: &String| risk::introduces(&turn.language, turn.asked, text);
            content_words(turn.asked).iter().any(is_told) || request.past.own_texts.iter().any(is_named)
        };
        request.answering.knowledge == Knowledge::Scant
            && request.prompt == PromptKind::Talk
            && remembered.is_empty()
            && risk::is_personal(&turn.language, turn.asked)
            && !was_told()
    }

    /// Says that the user never mentioned it.
    pub(super) async fn say_unanswerable(
        &self,
        sink: &mut ReplySink,
    ) -> Result<(Ended, Keep), ReceiverClosed> {
        sink.decided("care", "untold", "only the user can know it, and has not told it").await?;
        sink.say_on(&sink.sentence(|say| &say.untold)).await?;
        Ok((Ended::Quick, Keep::Yes))
    }

    /// Returns whether a doubtful fact is looked up before anything is said.
    pub(super) fn looks_up_at_once(&self, turn: &Turn<'_>) -> bool {
        self.remedy(turn) == Remedy::AtOnce
    }

    /// Looks a fact up; whether it is answered.
    pub(super) async fn looked_up(
        &self,
        turn: &Turn<'_>,
        sink: &mut ReplySink,
    ) -> Result<bool, ReceiverClosed> {
        sink.decided("care", "looked up", "a fact of the world beyond common knowledge").await?;
        let query = query_of(turn).to_owned();
        let wanted = LookUp { query, trust: SourceTrust::Anybody, consent: Consent::NotAsked };
        Ok(self.look_up(turn, &wanted, sink).await? == LookedUp::Quoted)
    }

    /// Returns what follows the model's answer to a doubtful fact.
    pub(super) async fn doubt(&self, turn: &Turn<'_>, sink: &mut ReplySink) -> Result<(), ReceiverClosed> {
        let Some(words) = turn.language.safety().first() else { return Ok(()) };
        let remedy = self.remedy(turn);
        let why = "a fact of the world beyond common knowledge, and the model has less than 1 B parameters";
        sink.decided("care", if remedy == Remedy::Offer { "offered" } else { "unsure" }, why).await?;
        if !words.look_up.doubts.is_match(&sink.said.to_lowercase()) {
            sink.say_on(&words.look_up.say.unsure).await?;
        }
        match remedy {
            Remedy::Offer => self.offer(turn, query_of(turn).to_owned(), SourceTrust::Anybody, sink).await,
            Remedy::AtOnce | Remedy::Nothing | Remedy::SwitchedOff => Ok(()),
        }
    }

    /// Asks whether to look it up.
    async fn offer(
        &self,
        turn: &Turn<'_>,
        query: String,
        trust: SourceTrust,
        sink: &mut ReplySink,
    ) -> Result<(), ReceiverClosed> {
        let Some(say) = look_up_sentences(&turn.language) else { return Ok(()) };
        sink.say_on(&say.offer).await?;
        let confirm = Duration::from_secs(u64::from(self.engine.parts.tool_rules.confirm_s));
        sink.awaits = Some(confirm);
        let now = self.engine.parts.clock.now().timestamp();
        let until = open_until(now, confirm, turn.channel, &sink.said);
        let offer = LookUpOffer { query, trust, until };
        self.session.with(|state| state.question = Some(OpenQuestion::LookUp(offer)));
        Ok(())
    }

    /// The answer to the offer, if it is one.
    pub(super) async fn offer_answered<'a>(
        &self,
        turn: &Turn<'a>,
        offer: LookUpOffer,
        sink: &mut ReplySink,
    ) -> Result<QuestionOutcome<'a>, ReceiverClosed> {
        if turn.now.timestamp() > offer.until {
            sink.decided("care", "no", "the offer was not answered in time").await?;
            return Ok(QuestionOutcome::GoesOn(turn.asked));
        }
        let (language, asked) = (&turn.language, turn.asked);
        if !intents::is_yes(language, asked) && !risk::wants_look_up(language, asked) {
            return self.declined(turn, sink).await;
        }
        sink.decided("care", "yes", "the owner wants it looked up").await?;
        let wanted = LookUp { query: offer.query, trust: offer.trust, consent: Consent::Given };
        let ended = self.look_up(turn, &wanted, sink).await?;
        self.say_failure(turn, ended, sink).await?;
        Ok(QuestionOutcome::Over((Ended::Quick, Keep::Yes)))
    }

    /// Searches the web, and quotes what answers the question.
    async fn look_up(
        &self,
        turn: &Turn<'_>,
        wanted: &LookUp,
        sink: &mut ReplySink,
    ) -> Result<LookedUp, ReceiverClosed> {
        let Some(say) = look_up_sentences(&turn.language) else { return Ok(LookedUp::Failed) };
        sink.aside(&say.looking).await?;
        let (now, language) = (turn.now.clone(), Arc::clone(&turn.language));
        let question = Turn { asked: &wanted.query, now, language, ..*turn };
        let past = self.past(&turn.now).await.unwrap_or_default();
        // Whatever was asked for, the search is there.
        let request = TurnRequest { prompt: PromptKind::Tools, ..self.request(&question, &past) };
        // Quoted text is not shortened by a model.
        let plan = Plan::of_words();
        let choice = ToolChoice { picks: vec![WEB_SEARCH.to_owned()], by: "care", ..ToolChoice::default() };
        let prepared = Prepared { choice, plan, ..Prepared::default() };
        let state =
            setup::begin(&request, prepared, &self.shared_prompt(&request), self.setup_rules(), self.session);
        let heads = self.heads();
        let agent = self.engine.agent(self.session, &heads);
        let Some(pages) = agent.look_up(state, &wanted.query, wanted.consent, sink).await? else {
            return Ok(LookedUp::Failed);
        };
        let most = (turn.channel == Channel::Voice).then_some(self.engine.parts.reply.spoken_words);
        let said = format!("{} {} {}", sink.said, say.looking, say.says("", ""));
        let rule = QuoteRule::behind(wanted.trust, &said, most);
        let Some(quote) = source::quoted(&turn.language, &wanted.query, &pages, rule) else {
            sink.decided("care", "nothing found", "no page that may be quoted holds the question").await?;
            return Ok(LookedUp::Nothing);
        };
        sink.decided("care", "quoted", quote.site.as_str()).await?;
        sink.say_on(&say.says(&quote.site, &quote.text)).await?;
        Ok(LookedUp::Quoted)
    }

    /// Says that a look-up came to nothing.
    async fn say_failure(
        &self,
        turn: &Turn<'_>,
        ended: LookedUp,
        sink: &mut ReplySink,
    ) -> Result<(), ReceiverClosed> {
        let Some(say) = look_up_sentences(&turn.language) else { return Ok(()) };
        match ended {
            LookedUp::Quoted => Ok(()),
            LookedUp::Nothing => sink.say_on(&say.nothing).await,
            LookedUp::Failed => sink.say_on(&say.failed).await,
        }
    }

    /// Returns what the configuration wants done, and what can be.
    fn remedy(&self, turn: &Turn<'_>) -> Remedy {
        let rules = &self.engine.parts.tool_rules;
        let has_search = self.tools().toolbox.get(WEB_SEARCH).is_some();
        let must_ask = rules.always_ask.iter().any(|name| name == WEB_SEARCH) || turn.is_quoting;
        let is_asked_for = risk::to_look_up(&turn.language, turn.asked).is_some();
        match rules.lookup {
            LookUpMode::Never if !is_asked_for => Remedy::Nothing,
            _ if !has_search => Remedy::SwitchedOff,
            _ if must_ask => Remedy::Offer,
            LookUpMode::Always => Remedy::AtOnce,
            _ if is_asked_for => Remedy::AtOnce,
            LookUpMode::Offer | LookUpMode::Never => Remedy::Offer,
        }
    }
}

/// Returns whether somebody may be in danger now, whatever else is said.
pub(super) fn is_emergency(turn: &Turn<'_>) -> bool {
    risk::emergency(&turn.language, turn.asked).is_some()
}

/// Returns the search query for an utterance: its question, without the words that ask for a look-up.
fn query_of<'a>(turn: &Turn<'a>) -> &'a str {
    risk::to_look_up(&turn.language, turn.asked).unwrap_or(turn.asked)
}

/// All that may stand behind an answer that is doubtful.
pub(super) fn doubt_of(language: &Language) -> String {
    look_up_sentences(language).map(|say| format!("{} {}", say.unsure, say.offer)).unwrap_or_default()
}

/// Returns the sentences about look-ups.
fn look_up_sentences(language: &Language) -> Option<&LookUpSentences> {
    language.safety().first().map(|words| &words.look_up.say)
}
