//! hear
