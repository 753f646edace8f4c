//! Stands where the engine is not built in: every use of templates is refused, with the way to get it.

use super::TemplateError;
use joi_audio::RATE;

/// As of the engine.
pub(super) const FRAME: usize = 3 * RATE as usize / 100;

/// There is none.
pub(super) enum NoComparer {}

pub(super) use NoComparer as Comparer;

impl NoComparer {
    pub(super) fn detecting(_rpw: &[u8], _from: Option<f32>) -> Result<Self, TemplateError> {
        Err(TemplateError::NotBuilt)
    }

    pub(super) fn measuring(_rpw: &[u8]) -> Result<Self, TemplateError> {
        Err(TemplateError::NotBuilt)
    }

    pub(super) fn detected(&mut self, _frame: &[f32]) -> Option<f32> {
        match *self {}
    }

    pub(super) fn likest(&mut self, _frame: &[f32]) -> f32 {
        match *self {}
    }

    pub(super) fn reset(&mut self) {
        match *self {}
    }
}

pub(super) fn learn(_phrase: &str, _takes: &[Vec<f32>]) -> Result<Vec<u8>, TemplateError> {
    Err(TemplateError::NotBuilt)
}

pub(super) fn check(_rpw: &[u8]) -> Result<(), TemplateError> {
    Err(TemplateError::NotBuilt)
}
