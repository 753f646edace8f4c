//! Where configuration, models, data and sockets live: the XDG directories, each of which an
//! environment variable can override.
//!
//! Any thread, asked once at start-up. In: environment variables, the place of the program. Out:
//! absolute paths. It creates nothing; whoever writes first creates the directory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where everything lives. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The configuration file: `$JOI_CONFIG`, else `joi/config.toml` in `$XDG_CONFIG_HOME`.
    pub config: PathBuf,
    /// The directory of model directories: `$JOI_MODELS`, else `models` in [`Paths::cache`].
    pub models: PathBuf,
    /// Directories of model directories that a package or an administrator has filled, never written to:
    /// `lib/joi` and `share/joi/models` beside the `bin` that the program is in. Empty for a build's output.
    pub packaged: Vec<PathBuf>,
    /// The directory of the database: `$JOI_DATA`, else `joi` in `$XDG_DATA_HOME`.
    pub data: PathBuf,
    /// The directory of sockets, private to this user: `$JOI_RUNTIME`, else `joi` in
    /// `$XDG_RUNTIME_DIR`, else `run` in [`Paths::cache`] (a machine without a login session).
    pub runtime: PathBuf,
    /// What can be made again: `joi` in `$XDG_CACHE_HOME`.
    pub cache: PathBuf,
}

/// The environment doesn't say where anything lives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathsError {
    /// Neither `HOME` nor the variables that would replace it. Report it and give up.
    #[error("HOME is not set, so there is no place for {what}; set HOME or {variable}")]
    NoHome {
        /// The path that is missing.
        what: &'static str,
        /// The variable that would name one.
        variable: &'static str,
    },
    /// An override that depends on the directory the program was started in.
    #[error("{variable} is \"{value}\"; give an absolute path")]
    Relative {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
}

impl Paths {
    /// Returns the paths this process's environment names, and what is installed beside its program.
    pub fn discover() -> Result<Self, PathsError> {
        let packaged = std::env::current_exe().map(|program| packaged_with(&program)).unwrap_or_default();
        Ok(Self { packaged, ..Self::from_env(|name| std::env::var_os(name))? })
    }

    /// Returns the paths that the environment read through `var` names; nothing is [`Paths::packaged`].
    pub fn from_env(var: impl Fn(&str) -> Option<OsString>) -> Result<Self, PathsError> {
        let env = Env { var: &var };
        let cache = match env.xdg("XDG_CACHE_HOME") {
            Some(dir) => dir.join("joi"),
            None => env.home(".cache/joi", "the cache", "XDG_CACHE_HOME")?,
        };
        let config = match (env.own("JOI_CONFIG")?, env.xdg("XDG_CONFIG_HOME")) {
            (Some(file), _) => file,
            (None, Some(dir)) => dir.join("joi/config.toml"),
            (None, None) => env.home(".config/joi/config.toml", "the configuration", "JOI_CONFIG")?,
        };
        let data = match (env.own("JOI_DATA")?, env.xdg("XDG_DATA_HOME")) {
            (Some(dir), _) => dir,
            (None, Some(dir)) => dir.join("joi"),
            (None, None) => env.home(".local/share/joi", "the database", "JOI_DATA")?,
        };
        let runtime = match (env.own("JOI_RUNTIME")?, env.xdg("XDG_RUNTIME_DIR")) {
            (Some(dir), _) => dir,
            (None, Some(dir)) => dir.join("joi"),
            (None, None) => cache.join("run"),
        };
        let models = env.own("JOI_MODELS")?.unwrap_or_else(|| cache.join("models"));
        Ok(Self { config, models, packaged: Vec::new(), data, runtime, cache })
    }

    /// Returns the folder of further languages, beside the configuration file.
    pub fn languages(&self) -> PathBuf {
        self.config.with_file_name("languages")
    }

    /// Returns the database file.
    pub fn database(&self) -> PathBuf {
        self.data.join("joi.db")
    }

    /// Returns the pronunciation data of espeak-ng, which the build leaves in the cache.
    pub fn espeak_data(&self) -> PathBuf {
        self.cache.join("espeak-ng-data")
    }
}

/// Where the package of `program` keeps models: `/usr/bin/joi` has them in `/usr/lib/joi` (for this processor) and in
/// `/usr/share/joi/models` (for all).
fn packaged_with(program: &Path) -> Vec<PathBuf> {
    let bin = program.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "bin"));
    let Some(prefix) = bin.and_then(Path::parent) else { return Vec::new() };
    vec![prefix.join("lib/joi"), prefix.join("share/joi/models")]
}

/// Reads variables: empty counts as unset.
struct Env<'a> {
    var: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Env<'_> {
    fn get(&self, name: &str) -> Option<PathBuf> {
        (self.var)(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// Returns a directory of the XDG specification, which says that relative ones are to be ignored.
    fn xdg(&self, name: &str) -> Option<PathBuf> {
        self.get(name).filter(|dir| dir.is_absolute())
    }

    /// One of our own variables; somebody set it on purpose, so a useless value is an error.
    fn own(&self, variable: &'static str) -> Result<Option<PathBuf>, PathsError> {
        match self.get(variable) {
            Some(path) if path.is_relative() => {
                Err(PathsError::Relative { variable, value: path.display().to_string() })
            }
            path => Ok(path),
        }
    }

    fn home(&self, below: &str, what: &'static str, variable: &'static str) -> Result<PathBuf, PathsError> {
        match self.xdg("HOME") {
            Some(home) => Ok(home.join(below)),
            None => Err(PathsError::NoHome { what, variable }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(vars: &[(&str, &str)]) -> Result<Paths, PathsError> {
        Paths::from_env(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v)))
    }

    #[test]
    fn a_bare_home_gives_the_standard_places() {
        let expected = Paths {
            config: "/home/ada/.config/joi/config.toml".into(),
            models: "/home/ada/.cache/joi/models".into(),
            packaged: Vec::new(),
            data: "/home/ada/.local/share/joi".into(),
            runtime: "/home/ada/.cache/joi/run".into(),
            cache: "/home/ada/.cache/joi".into(),
        };
        assert_eq!(paths(&[("HOME", "/home/ada")]), Ok(expected));
    }

    #[test]
    fn own_variables_win_over_xdg_and_xdg_over_home() {
        let found = paths(&[
            ("HOME", "/home/ada"),
            ("XDG_CACHE_HOME", "/var/cache"),
            ("XDG_RUNTIME_DIR", "/run/user/7"),
            ("XDG_DATA_HOME", "relative/is/ignored"),
            ("JOI_MODELS", "/srv/models"),
            ("JOI_CONFIG", "/etc/joi.toml"),
            ("JOI_DATA", ""),
        ]);
        let expected = Paths {
            config: "/etc/joi.toml".into(),
            models: "/srv/models".into(),
            packaged: Vec::new(),
            data: "/home/ada/.local/share/joi".into(),
            runtime: "/run/user/7/joi".into(),
            cache: "/var/cache/joi".into(),
        };
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn what_is_packaged_lies_beside_the_folder_of_the_program() {
        let packaged = |program: &str| packaged_with(Path::new(program));
        let dirs = |all: [&str; 2]| all.map(PathBuf::from).to_vec();
        assert_eq!(packaged("/usr/bin/joi"), dirs(["/usr/lib/joi", "/usr/share/joi/models"]));
        assert_eq!(
            packaged("/usr/local/bin/joi"),
            dirs(["/usr/local/lib/joi", "/usr/local/share/joi/models"])
        );
        assert!(packaged("/src/target/release/joi").is_empty());
        assert!(packaged("joi").is_empty());
    }

    #[test]
    fn what_can_not_be_placed_is_said_with_the_variable_that_would_place_it() {
        let all = [
            ("XDG_CACHE_HOME", "/c"),
            ("JOI_CONFIG", "/c.toml"),
            ("JOI_DATA", "/d"),
            ("XDG_RUNTIME_DIR", "/r"),
        ];
        assert!(paths(&all).is_ok(), "HOME is not needed when everything else is given");
        assert_eq!(
            paths(&[]).map_err(|e| e.to_string()),
            Err("HOME is not set, so there is no place for the cache; set HOME or XDG_CACHE_HOME".into())
        );
        assert_eq!(
            paths(&[("HOME", "/h"), ("JOI_MODELS", "models")]).map_err(|e| e.to_string()),
            Err("JOI_MODELS is \"models\"; give an absolute path".into())
        );
    }
}
