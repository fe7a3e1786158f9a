//! The migrations of the store's tables: the files of `migrations/`, which are applied in the order of their
//! numbers.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType};
use std::borrow::Cow;

/// Number, name and SQL statements of a migration.
macro_rules! script {
    ($number:literal, $name:literal) => {
        ($number, $name, include_str!(concat!("migrations/", $number, "_", $name, ".sql")))
    };
}

const SCRIPTS: [(i64, &str, &str); 7] = [
    script!(20261121000001, "areas_plans_jobs"),
    script!(20261123000001, "owners"),
    script!(20261123000002, "improving"),
    script!(20261123000003, "positions"),
    script!(20261126000001, "workers"),
    script!(20261128000001, "certificates"),
    script!(20261128000002, "requests"),
];

/// The migrations in sqlx's form. They are listed here because sqlx's macro `migrate!` would compile both
/// databases, SQLite's C code included, a second time.
pub fn migrations() -> Vec<Migration> {
    let migration = |(number, name, statements): (i64, &'static str, &'static str)| {
        let description = Cow::Owned(name.replace('_', " "));
        Migration::new(number, description, MigrationType::Simple, statements.into_sql_str(), false)
    };
    SCRIPTS.map(migration).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::read_dir;
    use std::path::Path;

    #[test]
    fn every_file_is_a_migration() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/migrations");
        let names = read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, SCRIPTS.map(|(number, name, _)| format!("{number}_{name}.sql")));
    }
}
