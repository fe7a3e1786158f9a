//! Errors that are one sentence.

/// Declares an error that is one sentence, made from a text.
macro_rules! sentence_error {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("{0}")]
        pub struct $name(String);

        impl From<String> for $name {
            fn from(reason: String) -> Self {
                $name(reason)
            }
        }

        impl From<&str> for $name {
            fn from(reason: &str) -> Self {
                $name(reason.into())
            }
        }
    };
}
pub(crate) use sentence_error;
