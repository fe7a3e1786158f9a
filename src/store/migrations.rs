//! What makes and renews the tables, in the order of its numbers: the files of `migrations/`.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType};
use std::borrow::Cow;

/// A file's number, its name, and its statements.
macro_rules! file {
    ($number:literal, $name:literal) => {
        ($number, $name, include_str!(concat!("migrations/", $number, "_", $name, ".sql")))
    };
}

const FILES: [(i64, &str, &str); 5] = [
    file!(20261121000001, "areas_plans_jobs"),
    file!(20261123000001, "owners"),
    file!(20261123000002, "improving"),
    file!(20261123000003, "positions"),
    file!(20261126000001, "workers"),
];

/// The migrations as sqlx takes them. They are listed, not found by its macro `migrate!`: that would
/// bring both databases, and SQLite's C, into every build a second time.
pub fn migrations() -> Vec<Migration> {
    let migration = |(number, name, statements): (i64, &'static str, &'static str)| {
        let description = Cow::Owned(name.replace('_', " "));
        Migration::new(number, description, MigrationType::Simple, statements.into_sql_str(), false)
    };
    FILES.map(migration).into()
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
        assert_eq!(names, FILES.map(|(number, name, _)| format!("{number}_{name}.sql")));
    }
}
