use super::*;

const PATH: &str = "/etc/xdg/krewind/config.toml";

fn read(text: &str) -> Result<Config, Vec<Problem>> {
    parse(text, Path::new(PATH), Some(Path::new("/users/me")))
}

fn problems(text: &str) -> Vec<Problem> {
    match read(text) {
        Ok(_) => panic!("{text} was read"),
        Err(problems) => problems,
    }
}

#[test]
fn a_whole_file() {
    let text = r#"
protected = ["payments-*", "billing"]
profile = "staging"

[profiles.staging]
bootstrap-servers = "s-1:9092,s-2:9092"
command-config = "staging.properties"
tz = "Europe/Berlin"

[profiles.prod]
command-config = "~/kafka/prod.properties"
read-only = true
protected = ["*"]
properties = { "sasl.username" = "me", client.id = "a" }
"#;
    let config = read(text).ok().unwrap();
    assert_eq!(config.profile.as_deref(), Some("staging"));
    assert!(config.protected[0].matches("payments-eu") && !config.protected[0].matches("payment"));
    let staging = &config.profiles["staging"];
    assert_eq!(staging.bootstrap_servers.as_deref(), Some("s-1:9092,s-2:9092"));
    let beside = Placed { value: PathBuf::from("/etc/xdg/krewind/staging.properties"), line: 7 };
    assert_eq!(staging.command_config, Some(beside));
    assert_eq!(staging.tz, Some(Placed { value: "Europe/Berlin".to_owned(), line: 8 }));
    assert!(!staging.read_only);
}

#[test]
fn properties_quoted_or_not() {
    let config = read(
        "[profiles.p]\nread-only = true\ncommand-config = \"~/a\"\n[profiles.p.properties]\nclient.id = \"a\"\n\"sasl.username\" = \"me\"\nretries = 3\nsocket.keepalive.enable = true\n",
    )
    .ok()
    .unwrap();
    let profile = &config.profiles["p"];
    assert!(profile.read_only);
    assert_eq!(profile.command_config.as_ref().unwrap().value, Path::new("/users/me/a"));
    let mut properties = profile.properties.clone();
    properties.sort();
    let expected = [("client.id", "a"), ("retries", "3"), ("sasl.username", "me"), ("socket.keepalive.enable", "true")];
    assert_eq!(properties, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (text, line, words) in [
        ("\n\nprotectd = []\n", 3, "`protectd` is not known"),
        ("protected = \"x\"\n", 1, "a string, not a list"),
        ("protected = [\n  \"a\",\n  \"[b\",\n]\n", 3, "`[b` is no glob"),
        ("protected = [\n  \"a\",\n  7,\n]\n", 3, "an integer, not a string"),
        ("protected = [\"\"]", 1, "empty"),
        ("profile = 7\n", 1, "an integer, not a string"),
        ("# first\nprofile = \"x\"\n[profiles.a]\n", 2, "`x`, which is none"),
        ("profiles = 1\n", 1, "not a table"),
        ("[profiles]\na = true\n", 2, "a boolean, not a table"),
        ("[profiles.\"a/b\"]\n", 1, "no name of a profile"),
        ("[profiles.a]\n\nbootstrap_servers = \"x\"\n", 3, "`bootstrap_servers` is not known in a profile"),
        ("[profiles.a]\nbootstrap-servers = [\"x\"]\n", 2, "a list, not a string"),
        ("[profiles.a]\nread-only = \"yes\"\n", 2, "a string, not a boolean"),
        ("[profiles.a]\ntz = \"\"\n", 2, "`tz` is empty"),
        ("[profiles.a]\nproperties = 1\n", 2, "not a table"),
        ("[profiles.a.properties]\nx = 1.5\n", 2, "`x` is a float"),
        ("[profiles.a.properties]\n\"a.b\" = 1\na.b = 2\n", 2, "given twice"),
        ("a = \n", 1, "no TOML"),
        ("protected = []\n[profiles.a]\ntz = \"a\"\ntz = \"b\"\n", 4, "no TOML"),
    ] {
        let found = problems(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].line, Some(line), "{text}: {found:?}");
        assert!(found[0].message.contains(words), "{text}: {found:?}");
        assert!(!found[0].hint.is_empty());
    }
}

#[test]
fn all_of_it_is_told_in_the_order_of_the_lines() {
    let found = problems("x = 1\nprotected = 2\n[profiles.a]\ny = 3\n");
    assert_eq!(found.iter().map(|problem| problem.line).collect::<Vec<_>>(), [Some(1), Some(2), Some(4)]);
}

#[test]
fn a_secret_is_never_in_a_message() {
    for text in [
        "[profiles.a.properties]\n\"sasl.password\" = hunter2\n",
        "[profiles.a.properties]\n\"sasl.password\" = \"hunter2\n",
        "[profiles.a.properties]\n\"sasl.password\" = [\"hunter2\"]\n",
        "[profiles.a]\nbootstrap-servers = [\"user:hunter2@host\"]\n",
    ] {
        let told = format!("{:?}", problems(text));
        assert!(!told.contains("hunter2"), "{told}");
    }
}

#[test]
fn a_home_that_is_not_there() {
    let found = parse("[profiles.a]\ncommand-config = \"~/x\"\n", Path::new(PATH), None).err().unwrap();
    assert_eq!(found[0].line, Some(2));
}

proptest::proptest! {
    #[test]
    fn no_panic(text in "([a-z=\\[\\]\"'.# \n0-9]|protected|profiles|\\PC){0,80}") {
        let _ = read(&text);
    }
}
