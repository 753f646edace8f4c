//! Words of Joi's own accord: what goes on in the house ([`awareness`]), when to speak of it ([`impulse`]), and alarms that
//! ring until somebody has heard them ([`alert`]).

pub mod alert;
pub mod awareness;
pub mod impulse;
