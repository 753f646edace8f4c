//! `joi home connect`: address, token, check, store.

use std::io::{BufRead, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use std::time::Duration;

use anyhow::Context as _;
use futures_util::future::join_all;
use serde_json::json;

use super::super::context::CliContext;
use super::super::show;
use super::super::unseen;
use super::access::{fault_message, print_json};
use joi_home::house::HouseRules;
use joi_home::{
    HUBS, HomeFault, HomeServer, HomeToken, Hub, HubPlace, SearchRange, ServerAddress, ServerCheck,
    StoredHome, TokenSource, find_servers, hub_names, is_exact,
};

/// How long is listened for what announces itself.
const SEARCH: Duration = Duration::from_secs(4);

#[derive(Debug, clap::Args)]
pub(super) struct ConnectArgs {
    /// Its address, for example http://openhab:8080 or homeassistant.local [default: it is looked for in the network]
    url: Option<String>,
    /// File with the token; - for stdin [default: asked for when one is needed]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// A server that answers, and what it says of itself.
struct AskedHub {
    hub: Hub,
    address: ServerAddress,
    check: Result<ServerCheck, HomeFault>,
}

pub(super) fn run(args: ConnectArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let given = args.token_file.as_deref().map(read_token).transpose()?;
    let asked = match &args.url {
        Some(url) => at(url, given.as_ref(), context)?,
        // Anybody in the network can announce a server: none gets the token before the owner has seen its address.
        None => {
            let found = found(context)?;
            let mut stdin = std::io::stdin().lock();
            let owner = stdin.is_terminal().then_some(&mut stdin as &mut dyn BufRead);
            with_token(picked(found, owner)?, given.as_ref(), context)?
        }
    };
    let AskedHub { hub, address, check } = asked;
    let (check, token) = match check {
        Ok(check) => (check, given),
        Err(HomeFault::TokenMissing) => {
            let token = ask_for_token(hub, &address)?;
            let again = context.block_on(async { Ok(ask(hub, &address, Some(&token)).await) })?;
            (again.map_err(fault_message)?, Some(token))
        }
        Err(fault) => return Err(fault_message(fault)),
    };
    StoredHome::new(&context.paths.data)
        .store(hub, &address, token.as_ref())
        .context("the address and the token can't be stored")?;
    summary(&address, &check, token.is_some(), as_json, context)
}

fn server(hub: Hub, address: &ServerAddress, token: Option<&HomeToken>) -> Result<HomeServer, HomeFault> {
    let token = token.cloned().map_or(TokenSource::None, TokenSource::Given);
    let place = HubPlace { hub, address: address.clone(), token };
    HomeServer::new(place, HouseRules::default()).map(|(server, _)| server)
}

/// Asks one kind of server once.
async fn ask(hub: Hub, address: &ServerAddress, token: Option<&HomeToken>) -> Result<ServerCheck, HomeFault> {
    server(hub, address, token)?.check().await
}

/// Returns the server at an address that was given; where it names neither scheme nor port, the port of each kind is
/// tried. Without any that answers, the check of the default kind says why.
fn at(url: &str, token: Option<&HomeToken>, context: &CliContext) -> anyhow::Result<AskedHub> {
    let read = |hub: Hub| {
        hub.address(url)
            .map(|address| (hub, address))
            .map_err(|why| anyhow::anyhow!("{url} is no address: {why}"))
    };
    let places = HUBS.into_iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    context.block_on(async move {
        let answers = join_all(places.iter().map(|(hub, address)| async move {
            Ok::<_, HomeFault>(server(*hub, address, None)?.answers().await)
        }));
        let known = answers.await.into_iter().position(|answers| answers == Ok(true));
        let (hub, address) = places[known.unwrap_or(0)].clone();
        let check = ask(hub, &address, token).await;
        if matches!(check, Err(HomeFault::Unreachable { .. })) && !is_exact(url) {
            let tried = places.iter().map(|(hub, address)| format!("{address} ({})", hub.name));
            anyhow::bail!(
                "cannot connect to {}. {}",
                tried.collect::<Vec<_>>().join(" or "),
                HomeFault::Unreachable { address: String::new(), why: String::new() }.remedy()
            );
        }
        Ok(AskedHub { hub, address, check })
    })
}

/// Asks the server that was picked once more, with the token.
fn with_token(asked: AskedHub, token: Option<&HomeToken>, context: &CliContext) -> anyhow::Result<AskedHub> {
    let Some(token) = token else { return Ok(asked) };
    let AskedHub { hub, address, .. } = asked;
    let check = context.block_on(async { Ok(ask(hub, &address, Some(token)).await) })?;
    Ok(AskedHub { hub, address, check })
}

/// Returns the server that `owner`, at a terminal, says is theirs. Without anybody to ask it is none: what announces
/// itself proves nothing.
fn picked(mut found: Vec<AskedHub>, owner: Option<&mut dyn BufRead>) -> anyhow::Result<AskedHub> {
    let places: Vec<_> = found.iter().map(|asked| (asked.hub, asked.address.clone())).collect();
    let each = each_once(&places);
    let shown = |at: &usize| format!("{} at {}", found[*at].hub.name, found[*at].address);
    let Some(owner) = owner else {
        let all: Vec<String> = each.iter().map(shown).collect();
        let there = if all.len() == 1 { "found " } else { "there are several: " };
        anyhow::bail!("{there}{}; give the address of yours: joi home connect URL", all.join(", "));
    };
    let mut line = String::new();
    let at = if let [only] = each[..] {
        show::remark(format!("found {}. Is it yours? y/N", shown(&only)));
        owner.read_line(&mut line)?;
        anyhow::ensure!(
            matches!(line.trim(), "y" | "yes"),
            "nothing was connected; give the address of yours: joi home connect URL"
        );
        only
    } else {
        for (number, at) in each.iter().enumerate() {
            show::remark(format!("{}: {}", number + 1, shown(at)));
        }
        show::remark("Which one is yours? Its number:");
        owner.read_line(&mut line)?;
        let number = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|number| each.get(number)).copied().context("that is none of the numbers")?
    };
    Ok(found.swap_remove(at))
}

/// Places in `found` of which each is another server: one host often offers it with TLS and without, or by two names.
fn each_once(found: &[(Hub, ServerAddress)]) -> Vec<usize> {
    let key = |at: usize| (found[at].0, found[at].1.host());
    (0..found.len()).filter(|at| (0..*at).all(|before| key(before) != key(*at))).collect()
}

/// Returns what announces itself in the network, else what answers at the usual names; asked without a token.
fn found(context: &CliContext) -> anyhow::Result<Vec<AskedHub>> {
    show::remark(format!("looking for {} in the network …", hub_names("and")));
    context.block_on(async move {
        let announced = find_servers(SearchRange::Network, SEARCH, |_| false).await;
        let mut places: Vec<_> = announced.into_iter().map(|home| (home.hub, home.address)).collect();
        places.sort_by_key(|(_, address)| address.to_string().starts_with("https"));
        let mut asked = ask_all(places).await;
        if asked.is_empty() {
            let usual = usual_hosts().into_iter().flat_map(|host| {
                let read = move |hub: Hub| Some((hub, hub.address(&host).ok()?));
                HUBS.into_iter().filter_map(read)
            });
            asked = ask_all(usual.collect()).await;
        }
        if asked.is_empty() {
            let usual = usual_hosts().join(", ");
            anyhow::bail!(
                "none of {} announces itself or answers at {usual}; give its address",
                hub_names("and")
            );
        }
        Ok(asked)
    })
}

/// Returns the host names that are tried when nothing announces itself.
fn usual_hosts() -> Vec<String> {
    let named = HUBS.iter().flat_map(|hub| hub.hosts).map(|host| (*host).to_owned());
    let local = HUBS.iter().flat_map(|hub| hub.hosts).map(|host| format!("{host}.local"));
    std::iter::once("localhost".to_owned()).chain(named).chain(local).collect()
}

/// Asks all at once, without a token; out are those that are what they are said to be, in their order.
async fn ask_all(places: Vec<(Hub, ServerAddress)>) -> Vec<AskedHub> {
    let asked = places.into_iter().map(|(hub, address)| async move {
        let check = ask(hub, &address, None).await;
        let is_one = matches!(
            check,
            Ok(_)
                | Err(HomeFault::TokenMissing
                    | HomeFault::WrongToken
                    | HomeFault::Forbidden
                    | HomeFault::TooOld { .. })
        );
        is_one.then_some(AskedHub { hub, address, check })
    });
    join_all(asked).await.into_iter().flatten().collect()
}

fn summary(
    address: &ServerAddress,
    check: &ServerCheck,
    has_token: bool,
    as_json: bool,
    context: &CliContext,
) -> anyhow::Result<ExitCode> {
    if as_json {
        return print_json(&json!({
            "hub": check.hub.word, "address": address.to_string(), "version": check.version,
            "items": check.items, "locations": check.locations, "semantics": check.has_semantics,
            "token": has_token,
        }));
    }
    show::line(format!("{} {} at {address}: {}", check.hub.name, check.version, check.extent()))?;
    if let Some(remedy) = check.remedy() {
        show::line(remedy)?;
    }
    if !has_token {
        show::line("no token was needed: this server takes commands from everybody in the network")?;
    }
    if !context.config().home.url.is_empty() {
        show::line("home.url of the configuration goes before what was stored now")?;
    }
    show::line("a running joi takes it when it is started again; `joi home items` shows what there is")?;
    Ok(ExitCode::SUCCESS)
}

fn read_token(file: &std::path::Path) -> anyhow::Result<HomeToken> {
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().take(4096).read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    }
    HomeToken::read(&text).map_err(|why| anyhow::anyhow!(why))
}

fn ask_for_token(hub: Hub, address: &ServerAddress) -> anyhow::Result<HomeToken> {
    if !std::io::stdin().is_terminal() {
        return Err(fault_message(HomeFault::TokenMissing));
    }
    show::remark(wanted_token(hub, address));
    let line = unseen::line()?;
    HomeToken::read(&line).map_err(|why| anyhow::anyhow!(why))
}

/// Returns what is asked for, and who will get it.
fn wanted_token(hub: Hub, address: &ServerAddress) -> String {
    format!("{} at {address} wants {} and paste it here; it is sent there.", hub.name, hub.token_hint)
}

pub(super) fn disconnect(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let was_there = StoredHome::new(&context.paths.data).remove()?;
    if as_json {
        return print_json(&json!({"forgotten": was_there}));
    }
    show::line(if was_there { "forgotten" } else { "no house was stored" })?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_at_two_ports_or_names_is_one_and_two_servers_are_two() {
        let of = |all: &[(Hub, &str)]| {
            let read = |(hub, url): &(Hub, &str)| (*hub, hub.address(url).unwrap());
            each_once(&all.iter().map(read).collect::<Vec<_>>())
        };
        let own = [(HUBS[0], "http://192.168.1.2:8080"), (HUBS[0], "https://192.168.1.2:8443")];
        assert_eq!(of(&own), [0]);
        assert_eq!(of(&[(HUBS[0], "openhab"), (HUBS[0], "openhab.local")]), [0]);
        assert_eq!(of(&[own[0], (HUBS[0], "http://192.168.1.3:8080")]), [0, 1]);
        assert_eq!(of(&[own[0], (HUBS[1], "http://192.168.1.2:8123")]), [0, 1]);
    }

    /// Returns the address that is picked of those found, with what the owner types, or without anybody to ask.
    fn picks(all: &[(Hub, &str)], typed: Option<&str>) -> Result<String, String> {
        let found = all.iter().map(|(hub, url)| AskedHub {
            hub: *hub,
            address: hub.address(url).unwrap(),
            check: Err(HomeFault::TokenMissing),
        });
        let mut typed = typed.map(str::as_bytes);
        let owner = typed.as_mut().map(|typed| typed as &mut dyn BufRead);
        let picked = picked(found.collect(), owner);
        picked.map(|asked| asked.address.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_only_server_that_is_found_is_taken_after_a_yes_alone() {
        let own = (HUBS[0], "http://192.168.1.2:8080");
        let tls = (HUBS[0], "https://192.168.1.2:8443");
        for yes in ["y\n", "yes\n", " yes "] {
            assert_eq!(picks(&[own, tls], Some(yes)), Ok(own.1.to_owned()), "{yes:?}");
        }
        for no in ["", "\n", "n\n", "no\n", "1\n", "yesterday\n"] {
            let refused = picks(&[own, tls], Some(no)).unwrap_err();
            assert!(refused.contains("joi home connect URL"), "{no:?}: {refused}");
        }
        let refused = picks(&[own, tls], None).unwrap_err();
        assert!(refused.contains("openHAB at http://192.168.1.2:8080"), "{refused}");
        assert!(refused.contains("joi home connect URL"), "{refused}");
    }

    #[test]
    fn of_several_servers_the_one_with_the_number_is_taken() {
        let both = [(HUBS[0], "http://192.168.1.2:8080"), (HUBS[0], "http://192.168.1.3:8080")];
        assert_eq!(picks(&both, Some("2\n")), Ok(both[1].1.to_owned()));
        for none in ["", "\n", "0\n", "3\n", "y\n"] {
            assert!(picks(&both, Some(none)).is_err(), "{none:?}");
        }
        let refused = picks(&both, None).unwrap_err();
        assert!(refused.contains(both[0].1) && refused.contains(both[1].1), "{refused}");
    }

    #[test]
    fn the_receiver_of_a_token_is_named_before_it_is_pasted() {
        for hub in HUBS {
            let address = hub.address("192.168.1.2").unwrap();
            let told = wanted_token(hub, &address);
            assert!(told.contains(hub.name) && told.contains(&address.to_string()), "{told}");
        }
    }
}
