//! `joi watch`: what is watched for in the house, whether joi runs or not.
//!
//! Works on the database and the house itself; a running `joi run` is notified and reads the watches again.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use jiff::{SignedDuration, Zoned};
use serde_json::{Value, json};

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use joi_autonomy::watch::{
    NewWatch, OrderOrigin, Sight, Watch, WatchChoice, WatchDeed, WatchId, WatchOrder, WatchRepeat,
    WatchReport, Watches, preview, said,
};
use joi_base::clock::{Clock as _, SystemClock};
use joi_base::message::Origin;
use joi_home::house::House;
use joi_language::{Language, Languages};
use joi_schedule::Bell;
use joi_store::Store;
use joi_understand::house::follow::FollowUp;
use joi_understand::house::watch::{WatchPlace, WatchUnderstanding, WatchWish, refused};
use joi_understand::house::{HouseDecision, say};

const EXAMPLES: &str = "\
Examples:
  joi watch                                               what is watched for
  joi watch add tell me when the washing machine is done
  joi watch add \"every time the doorbell rings, turn on the hall light\"
  joi watch add let me know until ten in the evening if the garage opens
  joi watch test tell me when it gets below 5 degrees outside   is it understood, and is it so now? Nothing is kept
  joi watch test 3                                        the same of a watch that is kept
  joi watch remove 3
  joi watch remove the garage
  joi watch remove --all
  joi watch --json | jq '.[].what'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct WatchArgs {
    #[command(subcommand)]
    action: Option<WatchCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum WatchCommand {
    /// Everything that is watched for
    #[command(after_help = EXAMPLES)]
    List,
    /// Watch for something, as one would say it
    #[command(after_help = EXAMPLES)]
    Add {
        /// The request
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Stop watching
    #[command(after_help = EXAMPLES)]
    Remove {
        /// Its number in the list, or the thing
        which: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "which")]
        all: bool,
    },
    /// What a watch would do, and whether its condition is so at the moment; nothing is done
    #[command(after_help = EXAMPLES)]
    Test {
        /// Its number in the list, or a request
        #[arg(required = true)]
        which: Vec<String>,
    },
}

pub(crate) fn run(args: WatchArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let languages = context.languages()?;
    let file = context.paths.database();
    let action = args.action.unwrap_or(WatchCommand::List);
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let wake_up = app::timers::wake_up(&context.paths);
        let clock = Arc::new(SystemClock);
        let desk = Desk {
            watches: Watches::new(store.clone(), clock, Some(wake_up)),
            languages,
            context,
            json: args.json,
        };
        let code = desk.run(action).await?;
        drop(desk);
        store.close().await?;
        Ok(code)
    })
}

/// What the actions work with.
struct Desk<'a> {
    watches: Watches,
    languages: Languages,
    context: &'a CliContext,
    json: bool,
}

impl Desk<'_> {
    async fn run(&self, action: WatchCommand) -> anyhow::Result<ExitCode> {
        match action {
            WatchCommand::List => self.list().await,
            WatchCommand::Add { words } => {
                let said = words.join(" ");
                let (house, presence) = self.house().await?;
                let (wish, language) = self.understood(&said, &house, &presence)?;
                match wish {
                    WatchWish::Order(order @ WatchOrder::Add(_), _) => {
                        self.obey(order, &said, Some(house), &language).await
                    }
                    other => anyhow::bail!("{}", reason(&other, &language)),
                }
            }
            WatchCommand::Remove { which, all } => {
                let said = which.join(" ");
                anyhow::ensure!(all || !said.is_empty(), "say which one, by number or thing, or --all");
                let choice = if all { WatchChoice::All } else { self.choice(&said).await? };
                self.obey(WatchOrder::Remove(choice), &said, None, &self.languages.get()).await
            }
            WatchCommand::Test { which } => self.test(&which.join(" ")).await,
        }
    }

    async fn list(&self) -> anyhow::Result<ExitCode> {
        let (watches, now, language) = (self.watches.all().await?, SystemClock.now(), self.languages.get());
        if self.json {
            self.rows(&watches, &language, &now)?;
        } else if watches.is_empty() {
            show::line("nothing is watched for")?;
        } else {
            let mut table = show::table(["NO", "WATCH", "SINCE"]);
            for watch in &watches {
                let since = watch.set_at.to_zoned(now.time_zone().clone());
                let since = since.strftime("%a %Y-%m-%d %H:%M").to_string();
                table.add_row([watch.id.0.to_string(), said::line(watch, &language, &now), since]);
            }
            show::line(table)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn rows(&self, watches: &[Watch], language: &Language, now: &Zoned) -> anyhow::Result<()> {
        let rows: Vec<Value> = watches.iter().map(|watch| row(watch, language, now)).collect();
        Ok(show::line(serde_json::to_string_pretty(&rows)?)?)
    }

    async fn obey(
        &self,
        order: WatchOrder,
        said: &str,
        house: Option<House>,
        language: &Language,
    ) -> anyhow::Result<ExitCode> {
        let words = OrderOrigin { said: said.to_owned(), origin: Origin::Typing };
        let is_add = matches!(order, WatchOrder::Add(_));
        let done = self.watches.obey(order, words, house).await?;
        if self.json {
            let watches = match &done.report {
                WatchReport::Added { watch, .. } | WatchReport::Same(watch) => vec![watch.clone()],
                WatchReport::Listed(watches) | WatchReport::Removed(watches) => watches.clone(),
                WatchReport::TooMany(_) | WatchReport::NoSuch(_) => Vec::new(),
            };
            self.rows(&watches, language, &done.at)?;
        } else {
            show::line(said::reported(&done.report, language, &done.at))?;
        }
        if is_add && done.bell == Bell::Nobody {
            let mark = show::coloured(Tone::Fair, "!");
            show::remark(format!("{mark} joi is not running: it watches once `joi run` does"));
        }
        Ok(if done.report.is_done() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Shows what a watch would do. A number is a watch that is kept, anything else a request.
    async fn test(&self, which: &str) -> anyhow::Result<ExitCode> {
        let (house, presence) = self.house().await?;
        let (wanted, language): (NewWatch, _) = match which.parse() {
            Ok(number) => {
                let all = self.watches.all().await?;
                let watch = all.into_iter().find(|watch| watch.id == WatchId(number));
                let watch =
                    watch.with_context(|| format!("there is no watch {number}; `joi watch` lists them"))?;
                (watch.wanted, self.languages.get())
            }
            Err(_) => match self.understood(which, &house, &presence)? {
                (WatchWish::Order(WatchOrder::Add(wanted), _), language) => (wanted, language),
                (other, language) => anyhow::bail!("{}", reason(&other, &language)),
            },
        };
        let now = SystemClock.now();
        let sight =
            Sight { house: Some(&house), event: None, now: now.timestamp(), moved: SignedDuration::ZERO };
        let shown = preview(&wanted, &sight);
        let says = shown.says.map(|sentence| sentence.sentence(&language, &now));
        let commands = match &wanted.deed {
            WatchDeed::Tell => None,
            WatchDeed::Command { name, .. } => Some(name.clone()),
        };
        if self.json {
            let shown = json!({"so": shown.so, "says": says, "does": commands});
            show::line(serde_json::to_string_pretty(&shown)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let so = match shown.so {
            Some(true) => "it is so at the moment",
            Some(false) => "it is not so at the moment",
            None => "whether it is so can't be seen at the moment",
        };
        let then = says.map(|says| format!("then joi says: {says}"));
        let then = then.or(commands.map(|does| format!("then joi does: {does}"))).unwrap_or_default();
        show::line(format!("{so}; {then}"))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Reads the house once; it, and who may be at home.
    async fn house(&self) -> anyhow::Result<(House, Vec<String>)> {
        let config = self.context.config();
        let (server, _) = app::home(config, &self.context.paths)?
            .context("no house is connected; `joi home connect` connects one")?;
        let house = server.read_once(&config.home.rules()).await?;
        let presence = house.people(&config.home.meaning);
        Ok((house, presence))
    }

    /// Returns what `said` wishes, in the first language in which it is about watches.
    fn understood(
        &self,
        said: &str,
        house: &House,
        presence: &[String],
    ) -> anyhow::Result<(WatchWish, Arc<Language>)> {
        let room = &self.context.config().home.room;
        let (now, room) = (SystemClock.now(), Some(room.as_str()).filter(|room| !room.is_empty()));
        let place = WatchPlace { house, room, presence, follow: FollowUp::default(), now: &now };
        let mut all = vec![self.languages.get()];
        all.extend(self.languages.all());
        let found = all.into_iter().find_map(|language| {
            let wish = WatchUnderstanding::of(&language)?.wished(said, place)?;
            Some((wish, language))
        });
        found.with_context(|| {
            format!(
                "\"{said}\" is no request to watch; allowed: for example \"tell me when the garage opens\", \"when Anna \
                 comes home, turn on the hall light\""
            )
        })
    }

    /// Returns the watches of a number, or of a thing by its name.
    async fn choice(&self, said: &str) -> anyhow::Result<WatchChoice> {
        if let Ok(number) = said.parse() {
            return Ok(WatchChoice::Number(WatchId(number)));
        }
        let wanted = said.to_lowercase();
        let is_called =
            |title: &str| title.to_lowercase().split_whitespace().any(|word| wanted.contains(word));
        let all = self.watches.all().await?;
        let items = all.iter().flat_map(|watch| &watch.wanted.condition.items);
        let items = items.filter(|item| is_called(&item.title)).map(|item| item.item.clone()).collect();
        Ok(WatchChoice::Of { items, said: said.to_owned() })
    }
}

/// Returns why a request sets no new watch.
fn reason(wish: &WatchWish, language: &Language) -> String {
    let Some(words) = language.house() else { return String::new() };
    match wish {
        WatchWish::Refused(refusal) => refused(refusal, language, words),
        WatchWish::Which(things) => say::decision(&HouseDecision::Which(things.clone()), words),
        WatchWish::Where(things) => say::decision(&HouseDecision::Where(things.clone()), words),
        WatchWish::Order(..) => "that asks for no new watch; see `joi watch --help`".to_owned(),
    }
}

fn row(watch: &Watch, language: &Language, now: &Zoned) -> Value {
    let condition = &watch.wanted.condition;
    let until = watch.wanted.until.map(|at| at.to_zoned(now.time_zone().clone()));
    json!({
        "id": watch.id.0,
        "what": said::line(watch, language, now),
        "said": watch.said,
        "origin": watch.origin,
        "items": condition.items.iter().map(|item| &item.item).collect::<Vec<_>>(),
        "condition": condition,
        "does": watch.wanted.deed,
        "always": watch.wanted.repeats == WatchRepeat::Always,
        "until": until.map(|at| at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()),
        "set_at": watch.set_at,
    })
}
