//! Tools of other programs, whatever the way to them: what they are to a model, to the gate and to the user.
//!
//! Any thread. In: a program's description of its tools, what the owner allows, and a [`ForeignCall`] for each, which alone
//! knows the way to the program. Out: [`ForeignTool`]s for [`ToolRegistry::add`](crate::ToolRegistry::add). Everything that
//! such a program says is a stranger's. It asks the gate nothing itself; it only says what each tool is.

mod allowance;
mod cues;
mod described;
mod naming;
mod reduction;
mod source;
mod text;
mod tool;

pub use allowance::{Approval, Claims, ToolAllowance, matches};
pub use described::DescribedTool;
pub use naming::program_ids;
pub use source::{ToolServerRow, ToolSource};
pub use text::tidy;
pub use tool::{ForeignCall, ForeignFault, ForeignProgram, ForeignTool};
