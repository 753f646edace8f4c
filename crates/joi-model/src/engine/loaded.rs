//! The loaded model with its window, and the generation of one reply.
//!
//! Engine thread. The prompts of the last replies stay in the window's cache: a prefix that the next prompt has in
//! common with one of them is not evaluated again.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::text::TextStream;
use super::thought::{SpokenPiece, ThoughtStream};
use super::window::ContextWindow;
use super::{DoneReason, EngineConfig, EngineError, Overflow, Prompt, Reply, Runner};
use crate::llama::{Context, DecodeError, LoadError, Model, Sampler, TokenId};
use crate::memory::{Needs, Shortage};
use crate::template::{ChatTemplate, SpecialTokens, TemplateError};

/// Smallest window that leaves room for a template and a word.
const SMALLEST_WINDOW: u32 = 64;

/// Until a reply's first sentence is there somebody waits for it, and what is done with it has not begun: it has ended by
/// one of these signs, or is as long as that.
const ENDS_FIRST: &[u8] = b".!?:\n";
const MOST_FIRST: usize = 24;

/// The model, its template and its window.
pub(super) struct Loaded {
    model: Rc<Model>,
    template: ChatTemplate,
    needs: Needs,
    context: Context,
    num_ctx: u32,
    threads: u16,
    first_threads: u16,
}

/// Statistics of one reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyCounts {
    pub(super) reason: DoneReason,
    pub(super) prompt_tokens: usize,
    pub(super) cached_tokens: usize,
    pub(super) prompt_began: Instant,
    pub(super) writing_began: Instant,
    pub(super) written_tokens: usize,
}

/// A prompt, ready to be evaluated.
struct ReadyPrompt {
    tokens: Vec<TokenId>,
    /// For models that may think before they answer.
    thoughts: Option<ThoughtStream>,
}

/// Why there is no model in memory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetUpError {
    /// The file, or the memory for it.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The template of the file.
    #[error("{path} can't be used, {fault}: choose another build of the model")]
    ChatTemplate {
        /// The file.
        path: String,
        /// The fault in it.
        fault: TemplateError,
    },
    /// A file without a template: how its messages are written is not known.
    #[error("{0} has no chat template: choose a build of the model for chat (\"instruct\", \"chat\")")]
    NoTemplate(String),
    /// An embedding model, or one that translates.
    #[error("{0} is not a chat model, it writes no text: choose a chat model")]
    NotChat(String),
}

impl SetUpError {
    /// Whether more memory would help; nothing else but another file.
    pub(crate) fn is_shortage(&self) -> bool {
        matches!(self, Self::Load(LoadError::Memory { .. } | LoadError::Context(_)))
    }
}

impl Loaded {
    /// Loads the file and allocates a window.
    pub(super) fn load(config: &EngineConfig, num_ctx: u32) -> Result<Self, SetUpError> {
        let path = config.model.display().to_string();
        let needs = Needs::of(&config.model);
        needs.check(num_ctx).map_err(|shortage| no_room(&path, shortage))?;
        let model = Rc::new(Model::load(&config.model)?);
        if !model.writes_text() || model.pools() {
            return Err(SetUpError::NotChat(path));
        }
        let Some(template) = model.chat_template() else { return Err(SetUpError::NoTemplate(path)) };
        let vocabulary = SpecialTokens {
            bos: model.bos_text().unwrap_or_default(),
            eos: model.eos_text().unwrap_or_default(),
            controls: model.control_texts(),
        };
        let template = ChatTemplate::new(&template, vocabulary)
            .map_err(|fault| SetUpError::ChatTemplate { path, fault })?;
        let num_ctx = allowed_window(num_ctx, model.trained_context());
        let context = Context::new(&model, num_ctx, config.threads)?;
        let EngineConfig { threads, first_threads, .. } = *config;
        Ok(Self { model, template, needs, context, num_ctx, threads, first_threads })
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    pub(super) fn num_ctx(&self) -> u32 {
        self.num_ctx
    }

    /// Applies a request's runner options.
    pub(super) fn adapt(&mut self, config: &EngineConfig, runner: Runner) -> Result<(), LoadError> {
        let threads = runner.threads.unwrap_or(config.threads);
        self.threads = threads;
        let wanted = runner.num_ctx.unwrap_or(config.num_ctx);
        let num_ctx = allowed_window(wanted, self.model.trained_context());
        if num_ctx == self.num_ctx {
            self.context.set_threads(threads);
            return Ok(());
        }
        self.needs
            .check_window(num_ctx)
            .map_err(|shortage| no_room(&format!("a window of {num_ctx} tokens"), shortage))?;
        tracing::info!(from = self.num_ctx, to = num_ctx, "window resized; the prefix cache is discarded");
        self.context = Context::new(&self.model, num_ctx, threads)?;
        self.num_ctx = num_ctx;
        Ok(())
    }

    /// Generates a reply; `show` gets what came with each token, which may be nothing, and may cancel.
    pub(super) fn write(
        &mut self,
        reply: &Reply,
        stop: &AtomicBool,
        show: &mut dyn FnMut(Vec<SpokenPiece>) -> Result<(), EngineError>,
    ) -> Result<ReplyCounts, EngineError> {
        let window = ContextWindow::new(self.num_ctx as usize, reply.num_predict);
        let ReadyPrompt { tokens, mut thoughts } = self.prompt(reply, window)?;
        let mut apart = |text: String| match &mut thoughts {
            Some(thoughts) => thoughts.push(&text),
            None if text.is_empty() => Vec::new(),
            None => vec![SpokenPiece::Answer(text)],
        };
        let mut sampler = Sampler::new(&self.model, &reply.sampling)?;
        let prompt_began = Instant::now();
        let cached_tokens = self.context.begin(&tokens);
        self.context.advance(&tokens[cached_tokens..], stop).map_err(failed)?;
        let writing_began = Instant::now();
        self.context.set_threads(self.threads.max(self.first_threads));
        let limit = usize::try_from(reply.num_predict).ok().filter(|n| *n > 0).unwrap_or(usize::MAX);
        let mut text = TextStream::new(&reply.stops);
        let mut piece = Vec::new();
        let mut written_tokens = 0;
        let reason = loop {
            let token =
                sampler.draw(&mut self.context).map_err(|error| EngineError::Run(error.to_string()))?;
            if self.model.ends(token) {
                break DoneReason::Stop;
            }
            written_tokens += 1;
            piece.clear();
            self.model.append_piece(token, &mut piece);
            show(apart(text.push(&piece)))?;
            if text.is_stopped() {
                break DoneReason::Stop;
            }
            if written_tokens >= limit || self.context.len() + 1 >= self.num_ctx as usize {
                break DoneReason::Length;
            }
            if written_tokens == MOST_FIRST || piece.iter().any(|byte| ENDS_FIRST.contains(byte)) {
                self.context.set_threads(self.threads);
            }
            self.context.advance(&[token], stop).map_err(failed)?;
        };
        show(apart(text.finish()))?;
        show(thoughts.and_then(ThoughtStream::finish).into_iter().collect())?;
        let prompt_tokens = tokens.len();
        Ok(ReplyCounts { reason, prompt_tokens, cached_tokens, prompt_began, writing_began, written_tokens })
    }

    fn prompt(&self, reply: &Reply, window: ContextWindow) -> Result<ReadyPrompt, EngineError> {
        match &reply.prompt {
            Prompt::Raw(text) => {
                let tokens = self.model.tokenize(text);
                let fits = tokens.len() <= window.room();
                check(reply.overflow, fits)?;
                Ok(ReadyPrompt { tokens: window.cut_middle(tokens), thoughts: None })
            }
            Prompt::Chat { messages, tools } => {
                let mut prompt = String::new();
                let fitted = window.fit(messages, |messages| {
                    prompt = self.template.render(messages, tools)?;
                    Ok::<_, TemplateError>(self.model.tokenize(&prompt))
                })?;
                check(reply.overflow, fitted.dropped == 0 && fitted.cut == 0)?;
                if fitted.dropped > 0 || fitted.cut > 0 {
                    let (dropped, cut) = (fitted.dropped, fitted.cut);
                    tracing::warn!(dropped, cut, "the prompt was longer than the window and was shortened");
                }
                // However the dialogue is cut, the prompt's end is the same.
                let thoughts = self.template.may_think().then(|| ThoughtStream::behind(&prompt));
                Ok(ReadyPrompt { tokens: fitted.tokens, thoughts })
            }
        }
    }
}

fn no_room(what: &str, Shortage { needed, free }: Shortage) -> LoadError {
    let (needed, free) = (needed.div_ceil(1_000_000), free / 1_000_000);
    LoadError::Memory { what: what.to_owned(), needed, free }
}

/// The window a request gets: no longer than the model was trained for, no shorter than useful.
fn allowed_window(wanted: u32, trained: u32) -> u32 {
    let longest = if trained == 0 { u32::MAX } else { trained };
    wanted.max(SMALLEST_WINDOW).min(longest)
}

fn check(overflow: Overflow, fits: bool) -> Result<(), EngineError> {
    match overflow {
        Overflow::Refuse if !fits => Err(EngineError::TooLong),
        Overflow::Refuse | Overflow::Truncate => Ok(()),
    }
}

fn failed(error: DecodeError) -> EngineError {
    match error {
        DecodeError::Stopped => EngineError::Cancelled,
        DecodeError::Full | DecodeError::Failed { .. } => EngineError::Run(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::allowed_window;

    #[test]
    fn a_window_stays_between_useful_and_trained() {
        let windows =
            [(4096, 32768), (99999, 32768), (1, 32768), (4096, 0)].map(|(w, t)| allowed_window(w, t));
        assert_eq!(windows, [4096, 32768, 64, 4096]);
    }
}
