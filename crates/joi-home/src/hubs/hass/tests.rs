//! Entities against what is documented of them, and the whole against its double.

mod parts;
mod stories;
