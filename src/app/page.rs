//! The page, served while joi runs.
//!
//! Four services: HTTP, what is typed there, wake phrases that are recorded there, and who is signed in. In: `[page]`, the status board, the brain. Out: pages
//! about them, and what their owner does on them. What the page shows is put together in `page/`.

mod adding;
mod day;
mod enrolling;
mod goals;
mod health;
mod hearing;
mod host;
mod house;
mod memory;
mod settings;
mod sound;
mod typing;
mod wake;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use anyhow::Context as _;
use tokio::net::TcpListener;

use super::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use crate::control::{PageDoor, StatusBoard};
use enrolling::Enrolling;
use host::RunningHost;
use joi_base::clock::Clock;
use joi_base::paths::Paths;
use joi_language::{LanguageError, LanguageLibrary};
use joi_page::{PageAccess, PageConfig, PageLanguage, PageParts};
use joi_serve::TlsIdentity;
use joi_store::Store;
pub(super) use sound::PageSound;
use typing::Typing;

/// The setting of the database that holds which browsers are signed in.
const BROWSERS: &str = "page_browsers";
/// The language whose words the page has in any case.
const ENGLISH: &str = "en";

/// Returns the services of the page; none where no address is configured.
///
/// # Errors
/// The words of the page can't be used.
pub(super) async fn page(
    config: &Config,
    paths: &Paths,
    brain: &Brain,
    board: &StatusBoard,
    sound: PageSound,
) -> anyhow::Result<Vec<Service>> {
    let Some(address) = config.page.address() else { return Ok(Vec::new()) };
    let languages = languages(&super::language_library(config, paths), &config.language)?;
    let kept = match &brain.store {
        Some(store) => store.setting(BROWSERS).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the browsers that are signed in are not known");
            None
        }),
        None => None,
    };
    let access = PageAccess::new(kept.as_deref(), Arc::clone(&brain.clock));
    board.has_page(PageDoor { access: access.clone(), address: shown_address(address, &config.page) });
    let (typing, texts) = Typing::new(brain, board, &sound.player).await;
    let (enrolling, enrolment) = Enrolling::new(&sound, paths);
    let host = Arc::new(RunningHost::new((config, paths), brain, board, (sound, enrolment), texts));
    let keeping = brain.store.clone().map(|store| keeping(store, access.clone()));
    let serving = serving(address, config.page.clone(), (host, access), (languages, &brain.clock));
    Ok([Some(typing.service()), Some(enrolling.service()), keeping, Some(serving)]
        .into_iter()
        .flatten()
        .collect())
}

/// Returns the words of the page: the spoken language first, then all others.
fn languages(
    library: &LanguageLibrary,
    spoken: &str,
) -> Result<(PageLanguage, Vec<PageLanguage>), LanguageError> {
    let of = |code: &str| {
        let words = Arc::new(library.page(code)?);
        Ok(PageLanguage { code: code.to_owned(), words })
    };
    let available = library.available();
    let first = if available.iter().any(|code| code == spoken) { spoken } else { ENGLISH };
    let usable = |code: &String| {
        of(code)
            .inspect_err(|error: &LanguageError| tracing::warn!(%error, code, "the page lacks a language"))
            .ok()
    };
    let others = available.iter().filter(|code| *code != first).filter_map(usable).collect();
    Ok((of(first)?, others))
}

/// Returns the service of HTTP.
fn serving(
    address: SocketAddr,
    config: PageConfig,
    (host, access): (Arc<RunningHost>, PageAccess),
    ((language, others), clock): ((PageLanguage, Vec<PageLanguage>), &Arc<dyn Clock>),
) -> Service {
    let clock = Arc::clone(clock);
    let run = move |context: ServiceContext| {
        let parts = PageParts {
            host: Arc::clone(&host),
            access: access.clone(),
            language: language.clone(),
            others: others.clone(),
            clock: Arc::clone(&clock),
            stop: context.stop.clone(),
        };
        let (config, access) = (config.clone(), access.clone());
        async move {
            let listener = TcpListener::bind(address)
                .await
                .with_context(|| format!("cannot listen on {address} (page.listen); choose another port"))?;
            let tls =
                config.tls().map(|(certificate, key)| TlsIdentity::read(certificate, key)).transpose()?;
            let rules = joi_page::rules(&config.names, tls, &access);
            joi_serve::serve(listener, joi_page::routes(parts), rules, context.stop).await?;
            Ok(())
        }
    };
    Service::new("page", "the page is not served", run)
}

/// Returns the service that stores who is signed in.
fn keeping(store: Store, access: PageAccess) -> Service {
    let run = move |context: ServiceContext| {
        let (store, mut kept) = (store.clone(), access.kept());
        async move {
            loop {
                // Both arms are cancel-safe.
                tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    changed = kept.changed() => changed?,
                }
                let browsers = kept.borrow_and_update().clone();
                store.set_setting(BROWSERS, browsers).await?;
            }
        }
    };
    Service::new("page browsers", "browsers have to sign in again after the next start", run)
}

/// Returns the address of the page in a browser: a name of this machine, where one is configured, or its address.
fn shown_address(listen: SocketAddr, config: &PageConfig) -> String {
    let host = match config.names.first().filter(|_| !listen.ip().is_loopback()) {
        Some(name) => name.clone(),
        None if listen.ip().is_unspecified() => {
            in_network().unwrap_or(Ipv4Addr::LOCALHOST.into()).to_string()
        }
        None => match listen.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        },
    };
    let scheme = if config.tls().is_some() { "https" } else { "http" };
    format!("{scheme}://{host}:{}", listen.port())
}

/// Returns the address of this machine in its network. Nothing is sent: the system only looks up the way to an address that
/// belongs to nobody.
fn in_network() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_names_the_machine_as_browsers_can_reach_it() {
        let shown = |listen: &str, name: Option<&str>| {
            let names = name.map(str::to_owned).into_iter().collect();
            let config = PageConfig { names, ..PageConfig::default() };
            shown_address(listen.parse().unwrap(), &config)
        };
        assert_eq!(shown("127.0.0.1:9754", Some("pi.local")), "http://127.0.0.1:9754");
        assert_eq!(shown("0.0.0.0:9754", Some("pi.local")), "http://pi.local:9754");
        assert_eq!(shown("[::1]:9754", None), "http://[::1]:9754");
        assert!(!shown("0.0.0.0:9754", None).contains("0.0.0.0"));
    }

    #[test]
    fn the_spoken_language_comes_first_and_english_where_there_are_several() {
        let library = LanguageLibrary::built_in();
        for (spoken, first, second) in [("de", "de", "en"), ("en", "en", "de"), ("auto", "en", "de")] {
            let (language, others) = languages(&library, spoken).unwrap();
            assert_eq!((language.code.as_str(), others[0].code.as_str()), (first, second));
        }
    }
}
