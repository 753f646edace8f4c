//! Whether the daemon serves the account of the configuration.
//!
//! In: what the daemon lists. Out: nothing, or one sentence with its remedy. A daemon for a single account lists none and
//! uses that one whatever is asked; one that does not answer is reported elsewhere.

use serde_json::{Value, json};

use super::link::{SHORT, SignalLink};

/// `signal.account` does not fit the daemon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountFault {
    /// It has none at all.
    #[error(
        "the signal-cli daemon has no account: `joi signal link` links one, or register a number with signal-cli"
    )]
    None,
    /// It has others.
    #[error(
        "the signal-cli daemon serves {served}, but signal.account is {account}: set it to what is served"
    )]
    Other {
        /// The configured one.
        account: String,
        /// Those it has.
        served: String,
    },
    /// It has several, and none is configured.
    #[error("the signal-cli daemon serves {served}: set signal.account to one of them")]
    Several {
        /// Those it has.
        served: String,
    },
}

impl SignalLink {
    /// Asks which accounts the daemon serves.
    ///
    /// # Errors
    /// The configured one is not among them.
    pub async fn check_account(&self) -> Result<(), AccountFault> {
        match self.accounts().await {
            Some(served) => check(self.account(), &served),
            None => Ok(()),
        }
    }

    /// Returns the accounts that the daemon serves; nothing where it does not show.
    pub async fn accounts(&self) -> Option<Vec<String>> {
        let listed = self.ask_plainly("listAccounts", json!({}), SHORT).await.ok()?;
        let number = |row: &Value| row.get("number")?.as_str().map(str::to_owned);
        Some(listed.as_array()?.iter().filter_map(number).collect())
    }
}

/// PURE. Whether `account` is among those that are `served`; an empty one is the only one.
fn check(account: &str, served: &[String]) -> Result<(), AccountFault> {
    let list = || served.join(", ");
    match served {
        [] => Err(AccountFault::None),
        [_] if account.is_empty() => Ok(()),
        _ if account.is_empty() => Err(AccountFault::Several { served: list() }),
        _ if served.iter().any(|number| number == account) => Ok(()),
        _ => Err(AccountFault::Other { account: account.to_owned(), served: list() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configured_account_must_be_served_and_must_be_configured_where_several_are() {
        let (ours, other) = ("+491701".to_owned(), "+491702".to_owned());
        let both = [ours.clone(), other.clone()];
        assert_eq!(check(&ours, &both), Ok(()));
        assert_eq!(check("", &both[..1]), Ok(()));
        assert_eq!(check("", &[]), Err(AccountFault::None));
        let fault = check(&ours, &both[1..]).unwrap_err();
        assert_eq!(fault, AccountFault::Other { account: ours, served: other });
        assert!(fault.to_string().contains("serves +491702, but signal.account is +491701"), "{fault}");
        let several = check("", &both).unwrap_err().to_string();
        assert!(several.contains("+491701, +491702: set signal.account"), "{several}");
    }
}
