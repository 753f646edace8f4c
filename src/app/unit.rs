//! Makes a satellite of this machine: its microphone, wake phrases and loudspeaker, served to a bigger Joi.
//!
//! In: configuration, the address to listen on. Out: it serves until it is stopped. It loads the models of the wake phrases and
//! of voice activity, a few megabytes; no speech model, no language model and no voice.

use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::satellites::host;
use super::voice::{Sound, open_sound};
use crate::config::Config;
use joi_base::paths::Paths;
use joi_satellites::{UnitEars, UnitInfo, UnitMode, UnitMouth, UnitParts, WyomingAnnouncement, serve_unit};

/// What this satellite is.
#[derive(Debug, Clone)]
pub struct UnitSetup {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Its name; nothing for the name of the machine.
    pub name: Option<String>,
    /// When it sends sound.
    pub mode: UnitMode,
    /// Whether it is announced by mDNS.
    pub announced: bool,
}

/// Serves this machine's microphone and loudspeaker until `stop`. `ready` is called once it does, with its name and wake
/// phrases.
///
/// # Errors
/// A model of a wake phrase is missing, or the address cannot be listened on.
pub async fn serve_here(
    (config, paths): (&Config, &Paths),
    setup: UnitSetup,
    sound: Sound,
    stop: CancellationToken,
    ready: impl FnOnce(&UnitInfo),
) -> anyhow::Result<()> {
    let phrases = match setup.mode {
        UnitMode::OnPhrase => {
            let all = super::wake::phrases(config, paths);
            let phrases: Vec<String> =
                all.iter().filter(|it| it.stock().is_some()).map(|it| it.name.clone()).collect();
            anyhow::ensure!(
                !phrases.is_empty(),
                "no stock phrase is enabled (hear.wake.phrases); a satellite knows no other, or sends all the time with --always"
            );
            phrases
        }
        UnitMode::Always => Vec::new(),
    };
    let name = setup.name.unwrap_or_else(host);
    let area = Some(config.home.room.clone()).filter(|room| !room.is_empty());
    let info = UnitInfo { name: name.clone(), area, phrases };
    let ears = super::listener(config, paths)?;
    let address = setup.listen;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address} (--listen); choose another port"))?;
    let is_file = matches!(sound, Sound::Files { .. });
    let (player, events, source) = open_sound(config, sound)?.into_devices();
    let ears = UnitEars::spawn(source, ears, player.clone())?;
    let mouth = UnitMouth::spawn(player.clone(), events)?;
    let announced = setup.announced.then(|| WyomingAnnouncement::new(&name, &host(), address));
    ready(&info);
    serve_unit(listener, UnitParts { info, mode: setup.mode, ears, mouth }, stop).await;
    tokio::task::spawn_blocking(move || {
        // Withdrawing it waits for the network.
        drop(announced);
        // A file is complete once it is ended.
        if is_file { player.finish().map(drop) } else { Ok(()) }
    })
    .await??;
    Ok(())
}
