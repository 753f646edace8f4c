//! The macro that declares sentences: from one row for each come the field, its documentation, the check of its
//! placeholders, and the name under which a [`SentenceTemplate`](crate::SentenceTemplate) stores it.
//!
//! Pure: no I/O, no clock.

/// Declares sections of `sentences.toml`. A row is
///
/// ```text
/// key(placeholder, ...): Type => Name;
/// ```
///
/// `key` is the key of the file. Of the rest each part may be missing: the placeholders that the sentence may hold, its
/// type where it is not one `String`, and the [`SentenceName`](crate::SentenceName) of a sentence that is put into words
/// later; `Name = part` names a field of the type.
macro_rules! sentences {
    ($(
        $(#[$about:meta])*
        $section:ident: $words:ident {
            $(
                $(#[$doc:meta])*
                $key:ident $(($($placeholder:ident),+))? $(: $kind:ty)? $(=> $($name:ident $(= $part:ident)?),+)?;
            )*
        }
    )*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $words {
                $(
                    $(#[$doc])*
                    #[doc = concat!("`", stringify!($key), "`" $($(, " {", stringify!($placeholder), "}")+)?)]
                    pub $key: sentences!(@type $($kind)?),
                )*
            }
        )*

        /// The sentences, and parts of sentences, that a [`SentenceTemplate`](crate::SentenceTemplate) is made of. They
        /// are stored by these names, so that none is ever renamed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum SentenceName {
            $($($($(
                #[doc = concat!("[`", stringify!($words), "::", stringify!($key), "`]")]
                $name,
            )+)?)*)*
        }

        impl SentenceName {
            /// Returns the text of the language's file, with its placeholders.
            pub(crate) fn text(self, sentences: &Sentences) -> &str {
                match self {
                    $($($($( Self::$name => &sentences.$section.$key $(.$part)?, )+)?)*)*
                }
            }
        }

        /// The placeholders that sentences may hold, by section and key; all others hold none.
        pub(crate) const PLACEHOLDERS: &[(&str, &str, &[&str])] = &[
            $($($( (stringify!($section), stringify!($key), &[$(stringify!($placeholder)),+]), )?)*)*
        ];
    };
    (@type) => { String };
    (@type $kind:ty) => { $kind };
}
