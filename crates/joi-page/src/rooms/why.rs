//! Why: the last turns with every decision, the calls of tools and the model, and where the time went.
//!
//! In: stored turns. Out: HTML. What was heard and answered stands there as text.

use joi_base::trace::{ModelUse, ToolUse, TurnRecord};
use joi_language::fill;
use joi_language::page::WhyWords;
use maud::{Markup, PreEscaped, html};

use super::room::{PageRoom, no_forms};
use crate::PageFault;
use crate::chart::{histogram, waterfall};
use crate::form::FormFields;
use crate::look::{BadgeTone, Look, RoomSign, badge, nothing, section, table};

/// Turns that are shown in full.
const SHOWN: usize = 20;
/// Turns that the histogram counts.
const COUNTED: u32 = 500;

/// Which turns are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnFilter {
    All,
    Answered,
    Ignored,
}

impl TurnFilter {
    fn read(text: &str) -> Self {
        match text {
            "answered" => Self::Answered,
            "ignored" => Self::Ignored,
            _ => Self::All,
        }
    }

    fn takes(self, turn: &TurnRecord) -> bool {
        match self {
            Self::All => true,
            Self::Answered => !turn.was_dismissed(),
            Self::Ignored => turn.was_dismissed(),
        }
    }
}

/// What this room needs of the program.
pub trait WhyHost: Send + Sync + 'static {
    /// Returns the newest turns, newest first.
    fn turns(&self, most: u32) -> impl Future<Output = Result<Vec<TurnRecord>, PageFault>> + Send;
}

/// Returns this room.
pub(super) fn room<H: WhyHost>() -> PageRoom<H> {
    PageRoom {
        sign: RoomSign {
            path: "/why",
            place: "thumb",
            icon: "M9.200 9.300a2.900 2.900 0 1 1 4.300 2.500c-1 .6-1.500 1.200-1.500 2.200M12 17.300v0M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0",
            title: |words| &words.why.title,
        },
        show: |visit| Box::pin(show(visit.host(), visit.look, visit.fields)),
        act: no_forms,
    }
}

/// Returns the page.
pub(super) async fn show<H: WhyHost>(host: &H, look: &Look, query: &FormFields) -> Result<Markup, PageFault> {
    let turns = host.turns(COUNTED).await?;
    let (words, filter) = (&look.words.why, TurnFilter::read(query.text("only")));
    let one = query.number::<u64>("turn");
    let shown: Vec<&TurnRecord> = turns
        .iter()
        .filter(|turn| one.map_or(filter.takes(turn), |number| turn.id.0 == number))
        .take(SHOWN)
        .collect();
    Ok(html! {
        p class="lead" { (words.about) }
        (latencies(&turns, words))
        nav class="chips" aria-label=(words.show) {
            @for (name, label, one) in [("", &words.all, TurnFilter::All), ("answered", &words.answered_only, TurnFilter::Answered), ("ignored", &words.ignored_only, TurnFilter::Ignored)] {
                a href={ "/why?only=" (name) } aria-current=[(one == filter).then_some("true")] { (label) }
            }
        }
        @if shown.is_empty() { (nothing(&words.none)) }
        @for (row, turn) in shown.iter().enumerate() { (one_turn(turn, row == 0, look)) }
    })
}

fn latencies(turns: &[TurnRecord], words: &WhyWords) -> Markup {
    let drawn = histogram::answers(turns, &words.histogram_axis);
    section(
        "latency-title",
        &words.histogram,
        &html! {
            @match drawn {
                None => (nothing(&words.no_times)),
                Some(drawn) => {
                    p { (fill(&words.histogram_title, &[("turns", &drawn.turns.to_string()), ("median", &drawn.median), ("most", &drawn.most)])) }
                    div class="chart" { (PreEscaped(drawn.svg)) }
                },
            }
        },
    )
}

fn one_turn(turn: &TurnRecord, is_open: bool, look: &Look) -> Markup {
    let words = &look.words.why;
    html! {
        details class="card turn" open[is_open] {
            summary {
                span class="summary-line" {
                    span class="number" { (turn.id) }
                    (look.moment_of(&turn.at))
                    (badge(BadgeTone::Quiet, turn.channel.name()))
                    @if turn.was_dismissed() { (badge(BadgeTone::Fair, &words.ignored_only)) }
                }
                @if !turn.was_dismissed() { span class="summary-text" { (turn.heard) } }
            }
            @if turn.was_dismissed() {
                p { (words.dismissed) }
            } @else {
                dl class="said" {
                    dt { (words.heard) } dd { (turn.heard) }
                    dt { (words.answered) } dd class="answer" { (turn.reply) }
                }
            }
            (decisions(turn, words))
            @if let Some(svg) = waterfall::drawn(turn, &fill(&words.waterfall_title, &[("turn", &turn.id.to_string())])) {
                h3 { (words.waterfall) }
                div class="chart" { (PreEscaped(svg)) }
            }
            (tools(&turn.tool_use, words))
            (calls(&turn.model_use, words))
        }
    }
}

fn decisions(turn: &TurnRecord, words: &WhyWords) -> Markup {
    let rows: Vec<Vec<Markup>> = turn
        .decisions
        .iter()
        .map(|one| vec![html! { (one.stage) }, html! { strong { (one.verdict) } }, html! { (one.reason) }])
        .collect();
    html! {
        @if !rows.is_empty() {
            h3 { (words.decisions) }
            (table(&words.decisions, &[&words.who, &words.decided, &words.because], &rows))
        }
    }
}

fn tools(calls: &[ToolUse], words: &WhyWords) -> Markup {
    let row = |call: &ToolUse| {
        let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
        let came = if call.reason.is_empty() {
            call.outcome.clone()
        } else {
            format!("{}: {}", call.outcome, call.reason)
        };
        vec![html! { (call.name) }, html! { code { (arguments) } }, html! { (came) }, milliseconds(call.ms)]
    };
    let rows: Vec<_> = calls.iter().map(row).collect();
    let heads = [words.tool.as_str(), &words.arguments, &words.came_to, &words.took];
    html! { @if !rows.is_empty() { h3 { (words.tools) } (table(&words.tools, &heads, &rows)) } }
}

fn calls(uses: &[ModelUse], words: &WhyWords) -> Markup {
    let row = |used: &ModelUse| {
        let known = used.cached_tokens.map(|known| known.to_string()).unwrap_or_default();
        vec![
            html! { (used.purpose) },
            html! { (used.model) @if !used.backend.is_empty() { " (" (used.backend) ")" } },
            html! { (used.evaluated()) },
            html! { (known) },
            milliseconds(used.prompt_ms),
            html! { (used.reply_tokens) },
            milliseconds(used.reply_ms),
        ]
    };
    let rows: Vec<_> = uses.iter().map(row).collect();
    let heads = [
        words.purpose.as_str(),
        &words.model,
        &words.read,
        &words.known,
        &words.took,
        &words.reply,
        &words.took,
    ];
    html! { @if !rows.is_empty() { h3 { (words.calls) } (table(&words.calls, &heads, &rows)) } }
}

fn milliseconds(ms: f64) -> Markup {
    html! { (format!("{ms:.0} ms")) }
}
