//! The volume of rings and alarms, which has a lower bound of its own.
//!
//! Owned by the announcements of a place. In: the beginning and the end of a ring. Out: volumes set at the player.

use joi_audio::{Player, Volume};

/// Raises the volume for a ring and restores it: rings are heard however low the volume of speech is.
pub(super) struct RingVolume {
    /// No ring is softer.
    least: Volume,
    /// No alarm is softer.
    least_alarm: Volume,
    /// The volume during the ring.
    raised: Option<Volume>,
    /// The volume from before a ring.
    before: Option<Volume>,
}

impl RingVolume {
    /// Creates the volumes of rings and alarms, which are never softer than so many percent.
    pub(super) fn never_below(ring: u8, alarm: u8) -> Self {
        let (least, least_alarm) = (Volume::percent(ring), Volume::percent(alarm));
        Self { least, least_alarm, raised: None, before: None }
    }

    /// Raises the volume for a ring or an alarm, if it is lower than theirs.
    pub(super) fn raise(&mut self, player: &Player, is_alarm: bool) {
        let least = if is_alarm { self.least_alarm } else { self.least };
        let volume = player.volume();
        if volume < least {
            self.before.get_or_insert(volume);
            self.raised = Some(least);
            player.set_volume(least);
        }
    }

    /// Restores the volume from before, unless somebody has changed it meanwhile.
    pub(super) fn restore(&mut self, player: &Player) {
        if let Some(volume) = self.before.take()
            && self.raised.take() == Some(player.volume())
        {
            player.set_volume(volume);
        }
    }
}
