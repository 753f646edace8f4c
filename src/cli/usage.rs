//! `joi usage`: what calls of language models by goals, tasks and the assistant came to, as a table and a plot.
//!
//! Works on the database itself. In: a number of days. Out: sums by day, use, server and model; the rows of the plot are tokens.

use std::process::ExitCode;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use joi_goals::usage::{day, sums};
use joi_store::{Store, UsageRow, UsageSum};

const EXAMPLES: &str = "\
Examples:
  joi usage                  the last seven days
  joi usage --days 30
  joi usage --json | jq .total";

/// Characters of the longest bar of the plot.
const BAR: u64 = 40;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UsageArgs {
    /// Days, today included, 1 to 400
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(i64).range(1..=400))]
    days: i64,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: UsageArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let file = context.paths.database();
    let zone = TimeZone::system();
    let today = Timestamp::now().to_zoned(zone.clone()).date();
    let first = today.checked_sub((args.days - 1).days())?;
    let rows = context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let since = first.to_zoned(TimeZone::system())?.timestamp();
        let rows = store.usage_since(since).await;
        store.close().await?;
        Ok(rows?)
    })?;
    let days: Vec<Date> = first.series(1.day()).take_while(|date| *date <= today).collect();
    if args.json {
        return written(&rows, &days, &zone).map(|()| ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        show::line(format!("no model was called for goals in the last {} days", args.days))?;
        return Ok(ExitCode::SUCCESS);
    }
    table(&rows)?;
    plot(&rows, &days, &zone)?;
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[UsageRow]) -> anyhow::Result<()> {
    let mut table = show::table(["USE", "SERVER", "MODEL", "CALLS", "READ", "WRITTEN", "TIME", "COST"]);
    let by = sums(rows, |row| (row.purpose.clone(), row.provider.clone(), row.model.clone()));
    let total = rows.iter().fold(UsageSum::default(), UsageSum::plus);
    let named = by.iter().map(|((purpose, provider, model), sum)| ([purpose, provider, model], sum));
    let all = (["total", "", ""].map(str::to_owned), total);
    for (names, sum) in named.map(|(names, sum)| (names.map(String::clone), *sum)).chain([all]) {
        let figures = [
            sum.calls.to_string(),
            sum.tokens_in.to_string(),
            sum.tokens_out.to_string(),
            format!("{:#}", SignedDuration::from_secs_f64((sum.took_ms as f64 / 1e3).round())),
            cost(sum.cost_micros),
        ];
        table.add_row(names.into_iter().chain(figures));
    }
    show::line(table)?;
    let outside = outside(rows);
    if !outside.is_empty() {
        show::line(format!("\nwords left the house: {}", outside.join("; ")))?;
    }
    Ok(())
}

/// Returns each use with its servers outside of the home, which are named with their hosts.
fn outside(rows: &[UsageRow]) -> Vec<String> {
    let by = sums(rows, |row| (row.purpose.clone(), row.provider.clone()));
    let left = by.into_keys().filter(|(_, provider)| provider.contains(" at "));
    left.map(|(purpose, provider)| format!("{purpose} to {provider}")).collect()
}

/// Returns a cost in whole units and cents; fractions of a cent where it is less.
fn cost(micros: u64) -> String {
    match micros {
        0 => "0".to_owned(),
        1..10_000 => format!("{:.6}", micros as f64 / 1e6),
        _ => format!("{:.2}", micros as f64 / 1e6),
    }
}

fn plot(rows: &[UsageRow], days: &[Date], zone: &TimeZone) -> anyhow::Result<()> {
    let by_day = sums(rows, |row| day(row, zone));
    let tokens = |date: &Date| by_day.get(date).map_or(0, |sum| sum.tokens_in + sum.tokens_out);
    let most = days.iter().map(tokens).max().unwrap_or(0).max(1);
    show::line("\nTokens a day")?;
    for date in days {
        let count = tokens(date);
        let length = (count * BAR).div_ceil(most);
        let bar = "█".repeat(usize::try_from(length).unwrap_or(0));
        show::line(format!("{date}  {} {count}", show::coloured(Tone::Good, bar)))?;
    }
    Ok(())
}

fn written(rows: &[UsageRow], days: &[Date], zone: &TimeZone) -> anyhow::Result<()> {
    let figures = |sum: UsageSum| {
        json!({ "calls": sum.calls, "tokens_in": sum.tokens_in, "tokens_out": sum.tokens_out,
            "took_ms": sum.took_ms, "cost": sum.cost_micros as f64 / 1e6 })
    };
    let by_day = sums(rows, |row| day(row, zone));
    let by_use = sums(rows, |row| (row.purpose.clone(), row.provider.clone(), row.model.clone()));
    let of_day = |date: &Date| {
        let sum = by_day.get(date).copied().unwrap_or_default();
        json!({ "day": date.to_string(), "usage": figures(sum) })
    };
    let of_use = |((purpose, provider, model), sum): (&(String, String, String), &UsageSum)| json!({ "use": purpose, "server": provider, "model": model, "usage": figures(*sum) });
    let whole = json!({
        "outside": outside(rows),
        "days": days.iter().map(of_day).collect::<Vec<_>>(),
        "uses": by_use.iter().map(of_use).collect::<Vec<_>>(),
        "total": figures(rows.iter().fold(UsageSum::default(), UsageSum::plus)),
    });
    Ok(show::line(serde_json::to_string_pretty(&whole)?)?)
}
