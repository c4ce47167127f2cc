//! Parameters of statements. A value is sent as the type that the statement expects of it; whole
//! numbers of any width are bigint, and truth values are 0 and 1, as on SQLite.

use std::borrow::Cow;
use std::error::Error;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A parameter of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SqlValue<'v> {
    Null,
    Integer(i64),
    Number(f64),
    Text(Cow<'v, str>),
    Bytes(Cow<'v, [u8]>),
    Integers(Vec<i64>),
    Words(Vec<String>),
}

impl SqlValue<'_> {
    /// Returns whether this is text that PostgreSQL cannot store.
    pub(crate) fn has_nul(&self) -> bool {
        match self {
            Self::Text(text) => text.contains('\0'),
            Self::Words(words) => words.iter().any(|word| word.contains('\0')),
            _ => false,
        }
    }

    /// Returns the value without borrowing from anything.
    pub(crate) fn into_owned(self) -> SqlValue<'static> {
        match self {
            Self::Null => SqlValue::Null,
            Self::Integer(number) => SqlValue::Integer(number),
            Self::Number(number) => SqlValue::Number(number),
            Self::Text(text) => SqlValue::Text(Cow::Owned(text.into_owned())),
            Self::Bytes(bytes) => SqlValue::Bytes(Cow::Owned(bytes.into_owned())),
            Self::Integers(numbers) => SqlValue::Integers(numbers),
            Self::Words(words) => SqlValue::Words(words),
        }
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) if *ty == Type::BOOL => (*number != 0).to_sql(ty, out),
            Self::Integer(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Integer(number) => number.to_sql(ty, out),
            Self::Number(number) => number.to_sql(ty, out),
            Self::Text(_) if self.has_nul() => Err(NulInText.into()),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.as_ref().to_sql(ty, out),
            Self::Integers(numbers) => numbers.to_sql(ty, out),
            Self::Words(words) => words.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The error of a text that contains U+0000, which PostgreSQL cannot store.
#[derive(Debug)]
pub(crate) struct NulInText;

impl std::fmt::Display for NulInText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "a text contains the character U+0000, which PostgreSQL cannot store; remove it",
        )
    }
}

impl Error for NulInText {}

macro_rules! from_integer {
    ($($type:ty),*) => {
        $(impl From<$type> for SqlValue<'_> {
            fn from(number: $type) -> Self {
                Self::Integer(i64::from(number))
            }
        })*
    };
}

from_integer!(i64, u32, u8, bool);

impl From<f32> for SqlValue<'_> {
    fn from(number: f32) -> Self {
        Self::Number(f64::from(number))
    }
}

impl From<f64> for SqlValue<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'v> From<&'v str> for SqlValue<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'v> From<&'v String> for SqlValue<'v> {
    fn from(text: &'v String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for SqlValue<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<const N: usize> From<[u8; N]> for SqlValue<'_> {
    fn from(bytes: [u8; N]) -> Self {
        Self::Bytes(Cow::Owned(bytes.to_vec()))
    }
}

impl<'v> From<&'v Vec<u8>> for SqlValue<'v> {
    fn from(bytes: &'v Vec<u8>) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<i64>> for SqlValue<'_> {
    fn from(numbers: Vec<i64>) -> Self {
        Self::Integers(numbers)
    }
}

impl From<Vec<String>> for SqlValue<'_> {
    fn from(words: Vec<String>) -> Self {
        Self::Words(words)
    }
}

impl<'v, T: Into<SqlValue<'v>>> From<Option<T>> for SqlValue<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'v> From<&'v Option<String>> for SqlValue<'v> {
    fn from(text: &'v Option<String>) -> Self {
        text.as_ref().into()
    }
}

/// Lists of parameters: tuples and arrays of values, and what `params!` makes.
pub(crate) trait IntoParameters<'v> {
    /// Returns the parameters in order.
    fn into_parameters(self) -> Vec<SqlValue<'v>>;
}

impl<'v> IntoParameters<'v> for Vec<SqlValue<'v>> {
    fn into_parameters(self) -> Vec<SqlValue<'v>> {
        self
    }
}

impl<'v> IntoParameters<'v> for () {
    fn into_parameters(self) -> Vec<SqlValue<'v>> {
        Vec::new()
    }
}

impl<'v, T: Into<SqlValue<'v>>, const N: usize> IntoParameters<'v> for [T; N] {
    fn into_parameters(self) -> Vec<SqlValue<'v>> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuple_parameters {
    ($($name:ident),+) => {
        impl<'v, $($name: Into<SqlValue<'v>>),+> IntoParameters<'v> for ($($name,)+) {
            fn into_parameters(self) -> Vec<SqlValue<'v>> {
                #[allow(non_snake_case, reason = "the names of the types name the values too")]
                let ($($name,)+) = self;
                vec![$($name.into()),+]
            }
        }
    };
}

tuple_parameters!(A, B);
tuple_parameters!(A, B, C);
tuple_parameters!(A, B, C, D);
tuple_parameters!(A, B, C, D, E);
tuple_parameters!(A, B, C, D, E, F);
tuple_parameters!(A, B, C, D, E, F, G);
tuple_parameters!(A, B, C, D, E, F, G, H);
tuple_parameters!(A, B, C, D, E, F, G, H, I);
tuple_parameters!(A, B, C, D, E, F, G, H, I, J);

/// Makes a list of parameters of any length.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::sql_value::SqlValue::from($value)),*]
    };
}

pub(crate) use params;
