//! libpq's password file.

use std::path::Path;

/// Whose password.
pub struct Wanted<'a> {
    /// The host, or the socket's directory.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// The database.
    pub database: &'a str,
    /// The user.
    pub user: &'a str,
}

/// Directories that libpq calls `localhost`.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// The password, if the file has it; the error is why it is not read.
pub fn find(file: &Path, wanted: &Wanted<'_>) -> Result<Option<String>, String> {
    let Ok(metadata) = file.metadata() else { return Ok(None) };
    if !metadata.is_file() {
        return Err(format!("`{}` is no plain file, so no password was read from it", file.display()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(format!(
                "`{}` may be read by others than its owner, so no password was read from it: `chmod 600` it",
                file.display()
            ));
        }
    }
    match std::fs::read(file) {
        Ok(bytes) => Ok(line(&String::from_utf8_lossy(&bytes), wanted)),
        Err(error) => Err(format!("`{}` can't be read: {error}", file.display())),
    }
}

/// The password of the first line that fits.
fn line(text: &str, wanted: &Wanted<'_>) -> Option<String> {
    let port = wanted.port.to_string();
    let host = if SOCKETS.contains(&wanted.host) { "localhost" } else { wanted.host };
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line.trim_end_matches('\r'));
        let [given @ .., password] = fields.as_slice() else { return None };
        let known = [host, &port, wanted.database, wanted.user];
        let fits = given.len() == 4 && given.iter().zip(known).all(|(given, known)| given == "*" || given == known);
        (fits && !password.is_empty()).then(|| password.clone())
    })
}

/// Five fields between colons; `\:` and `\\` are those characters. A colon in the password needs none.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let count = fields.len();
        let Some(last) = fields.last_mut() else { break };
        match character {
            '\\' => last.extend(characters.next()),
            ':' if count < 5 => fields.push(String::new()),
            other => last.push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted<'_> = Wanted { host: "db", port: 5432, database: "shop", user: "me" };

    #[test]
    fn the_first_line_that_fits_is_taken() {
        let of = |text| line(text, &WANTED);
        assert_eq!(of("db:5432:shop:me:one\n*:*:*:*:two").as_deref(), Some("one"));
        assert_eq!(of("# db:5432:shop:me:no\nother:*:*:*:no\n*:*:*:me:two\r\n").as_deref(), Some("two"));
        assert_eq!(of("db:5432:shop:me:a\\:b\\\\c").as_deref(), Some("a:b\\c"));
        assert_eq!(of("db:5432:shop:me"), None);
        assert_eq!(of("db:5433:shop:me:x\n\n:::\n"), None);
        let socket = Wanted { host: "/var/run/postgresql", ..WANTED };
        assert_eq!(line("localhost:*:*:*:x", &socket).as_deref(), Some("x"));
        let socket = Wanted { host: "/srv/pg", ..WANTED };
        assert_eq!(line("/srv/pg:*:*:*:x", &socket).as_deref(), Some("x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "*:*:*:*:x\n").unwrap();
        for (mode, read) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(find(file.path(), &WANTED).is_ok(), read, "{mode:o}");
        }
        assert_eq!(find(Path::new("/nonexistent/pgpass"), &WANTED), Ok(None));
        assert!(find(Path::new("/"), &WANTED).is_err());
    }
}
