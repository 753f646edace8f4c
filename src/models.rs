//! models

/// The file `file` of the model `name`, for tests.
///
/// # Panics
/// When it isn't there, with the command that fetches it.
#[cfg(test)]
pub(crate) fn test_model(name: &str, file: &str) -> std::path::PathBuf {
    let root = crate::paths::Paths::discover().unwrap().models;
    let path = root.join(name).join(file);
    assert!(path.is_file(), "{} is missing; run `make test`, or `joi models fetch {name}`", path.display());
    path
}
