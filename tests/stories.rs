//! Stories told through the public interface, one file each.

mod support {
    pub(crate) mod sound_server;
}

mod stories {
    mod sound_server;
}
