use super::*;
use crate::protocol::Protocol;
use crate::scale::Scale;
use crate::table_spec::{Categorical, Direction};

const EXAMPLE: &str = r#"
name = "icml-copula"
methods = ["rs", "gp"]
seeds = 30
iterations = 100

[method.gp]
hyperprior = "none"

[[blackbox]]
name = "DeepAR"
table = "DeepAR.csv.zip"
objective = "metric_CRPS"
sources_only = ["wiki-rolling"]

[[blackbox]]
name = "nas_bench102"
table = "nas_bench102.csv.zip"
objective = "metric_error"
categorical = "all"
iterations = 70
"#;

fn parse(text: &str) -> Result<SweepFile, String> {
    SweepFile::parse(text, Path::new("sweep.toml")).map_err(|error| error.to_string())
}

fn problem(find: &str, replace: &str) -> String {
    assert!(EXAMPLE.contains(find));
    parse(&EXAMPLE.replacen(find, replace, 1)).unwrap_err()
}

#[test]
fn the_example_is_read() {
    let file = parse(EXAMPLE).unwrap();
    assert_eq!(file.blackboxes[1].iterations, Some(70));
    assert_eq!(
        file.blackboxes[1].table_spec(&[]).unwrap().categorical,
        Categorical::All
    );
    assert_eq!(file.blackboxes[0].sources_only, ["wiki-rolling"]);
    assert_eq!(
        file.method.get("gp").unwrap().parameters["hyperprior"].canonical(),
        "none"
    );
}

#[test]
fn several_objectives_take_the_place_of_one() {
    let several = "objectives = [\"metric_error\", \"metric_latency\"]\ncost = \"metric_latency\"";
    let file = parse(&EXAMPLE.replace("objective = \"metric_error\"", several)).unwrap();
    let [one, two] = &file.blackboxes[..] else {
        panic!("{} black boxes", file.blackboxes.len());
    };
    assert_eq!(
        (one.objectives(), &one.cost),
        (&["metric_CRPS".into()][..], &None)
    );
    assert_eq!(two.cost.as_deref(), Some("metric_latency"));
    let spec = two.table_spec(&[]).unwrap();
    assert_eq!(spec.objective, "metric_error");
    assert_eq!(spec.further_objectives, ["metric_latency"]);
    let spec = one.table_spec(&[]).unwrap();
    assert_eq!(spec.further_objectives, [""; 0]);
}

#[test]
fn a_stream_has_all_tasks_of_its_table() {
    let stream = "iterations = 70\nprotocol = \"stream\"";
    let file = parse(&EXAMPLE.replace("iterations = 70", stream)).unwrap();
    let protocols = file.blackboxes.iter().map(|blackbox| blackbox.protocol);
    assert!(protocols.eq([Protocol::LeaveOneOut, Protocol::Stream]));
    let spec = file.blackboxes[1].table_spec(&[]).unwrap();
    assert_eq!(spec.protocol, Protocol::Stream);
    for (key, value) in [
        ("targets", "[\"a\"]"),
        ("sources_only", "[\"a\"]"),
        ("sources", "[\"a\"]"),
        ("source_tasks", "5"),
        ("source_rows", "\"metric_kept\""),
    ] {
        let text = format!("{key} = {value}\n{stream}");
        let message = problem("iterations = 70", &text);
        assert!(
            message.contains("line 21") && message.contains(&format!("{key} cannot be with")),
            "{message}"
        );
    }
    let message = problem("iterations = 70", "protocol = \"streaming\"");
    assert!(message.contains("leave-one-out"), "{message}");
}

#[test]
fn a_black_box_may_have_its_own_methods() {
    let own = EXAMPLE.replace("iterations = 70", "methods = [\"rs\", \"rea\"]");
    let file = parse(&own).unwrap();
    let methods = |position: usize| file.methods_of(&file.blackboxes[position]);
    assert_eq!(methods(0), ["rs", "gp"]);
    assert_eq!(methods(1), ["rs", "rea"]);
    // Without a list for all, each black box needs its own.
    let message = parse(&own.replace("methods = [\"rs\", \"gp\"]", "")).unwrap_err();
    assert!(message.contains("[method.gp]"), "{message}");
    let message = parse(
        &own.replace("methods = [\"rs\", \"gp\"]", "")
            .replace("[method.gp]", "[method.rea]"),
    )
    .unwrap_err();
    assert!(
        message.contains("black box `DeepAR` has no methods"),
        "{message}"
    );
    let everywhere = own
        .replace("methods = [\"rs\", \"gp\"]", "")
        .replace("sources_only", "methods = [\"gp\"]\nsources_only");
    assert_eq!(parse(&everywhere).unwrap().methods, [""; 0]);
}

#[test]
fn a_parameter_has_one_spelling() {
    assert_eq!(
        Parameter::Integer(1).canonical(),
        Parameter::Number(1.0).canonical()
    );
    assert_eq!(Parameter::Number(0.1).canonical(), "0.1");
}

#[test]
fn a_parameter_that_a_method_would_get_otherwise_is_refused() {
    for (value, given) in [
        (
            "\"24\"",
            "is the text \"24\", and the method would be given 24:",
        ),
        ("\"false\"", "would be given false:"),
        ("9007199254740993", "would be given 9007199254740992:"),
        ("nan", "would be given the text \"NaN\":"),
        ("1e300", "has 301 bytes, allowed are 1 to 200"),
    ] {
        let error = parse(&EXAMPLE.replace("\"none\"", value)).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("[method.gp] hyperprior"), "{error}");
        assert!(error.contains(given), "{value}: {error}");
    }
    for value in [
        "\"007\"", "\"1e3\"", "\"True\"", "24", "1e3", "-0.0", "2.5e-7", "true",
    ] {
        parse(&EXAMPLE.replace("\"none\"", value)).unwrap();
    }
}

#[test]
fn mistakes_are_named_with_their_place() {
    let cases = [
        ("seeds = 30", "sedes = 30", "sedes"),
        ("seeds = 30", "seeds = 0", "sweep.toml, line 4: seeds is 0"),
        ("seeds = 30", "seeds = \"many\"", "line 4"),
        (
            "iterations = 70",
            "iterations = 0",
            "sweep.toml, line 21: black box `nas_bench102`: iterations is 0",
        ),
        (
            "[\"rs\", \"gp\"]",
            "[\"rs\", \"gp\", \"rs\"]",
            "`rs` is listed twice",
        ),
        ("[\"rs\", \"gp\"]", "[\"rs\"]", "[method.gp]"),
        ("\"all\"", "\"some\"", "write \"all\""),
        ("\"all\"", "3", "expected \"all\""),
        (
            "name = \"nas_bench102\"",
            "name = \"DeepAR\"",
            "listed twice",
        ),
        ("categorical = \"all\"", "targets = []", "targets is empty"),
        (
            "categorical = \"all\"",
            "methods = []",
            "black box `nas_bench102` has no methods",
        ),
        (
            "categorical = \"all\"",
            "methods = [\"gp\", \"gp\"]",
            "black box `nas_bench102`: methods: `gp` is listed twice",
        ),
        (
            "objective = \"metric_error\"",
            "objective = \"\"",
            "objective",
        ),
    ];
    for (find, replace, expected) in cases {
        let message = problem(find, replace);
        assert!(message.contains(expected), "{replace}: {message}");
        assert!(message.contains("sweep.toml"), "{message}");
    }
}

#[test]
fn each_limit_is_named() {
    let list = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("\"n{number}\"")).collect();
        format!("[{}]", names.join(", "))
    };
    let parameters: String = (0..=MAX_PARAMETERS)
        .map(|number| format!("p{number} = 1\n"))
        .collect();
    let blackboxes: String = (0..=MAX_BLACKBOXES)
        .map(|n| format!("[[blackbox]]\nname = \"b{n}\"\ntable = \"t\"\nobjective = \"o\"\n"))
        .collect();
    let cases = [
        (
            "seeds = 30",
            "seeds = 100001".into(),
            "seeds is 100001, allowed are 1 to 100000",
        ),
        (
            "iterations = 70",
            "iterations = 100001".into(),
            "iterations is 100001",
        ),
        (
            "\"rs\", \"gp\"",
            list(1001).trim_matches(['[', ']']).to_owned(),
            "1001 are listed",
        ),
        (
            "hyperprior = \"none\"",
            parameters,
            "sets 101 parameters, allowed are 100",
        ),
        (
            "hyperprior",
            "h".repeat(201),
            "has 201 bytes, allowed are 1 to 200",
        ),
        (
            "categorical = \"all\"",
            format!("targets = {}", list(10_001)),
            "targets: 10001",
        ),
        (
            "categorical = \"all\"",
            format!("sources_only = {}", list(10_001)),
            "only: 10001",
        ),
        (
            "categorical = \"all\"",
            format!("categorical = [\"{}\"]", "x".repeat(201)),
            "200",
        ),
        (
            "name = \"DeepAR\"",
            format!("name = \"{}\"", "x".repeat(201)),
            "200",
        ),
        (
            "[[blackbox]]",
            format!("{blackboxes}[[blackbox]]"),
            "1003 black boxes",
        ),
    ];
    for (find, replace, expected) in cases {
        let message = problem(find, &replace);
        assert!(message.contains(expected), "{message}");
        assert!(message.len() < 1000, "{message}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.toml");
    std::fs::write(&path, "#".repeat(MAX_SWEEP_FILE_BYTES as usize + 1)).unwrap();
    let error = SweepFile::read(&path).unwrap_err().to_string();
    assert!(error.contains("more than 1048576 bytes"), "{error}");
    let error = SweepFile::read(Path::new("/dev/zero"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("more than 1048576 bytes"), "{error}");
}

#[test]
fn another_encoding_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.toml");
    // A comment in Latin-1.
    std::fs::write(&path, b"name = \"test\"\n# caf\xe9\n").unwrap();
    let error = SweepFile::read(&path).unwrap_err().to_string();
    assert!(error.contains("line 2: it is not in UTF-8"), "{error}");
}

#[test]
fn a_long_line_is_not_repeated() {
    let long = "x".repeat(100_000);
    let cases = [
        ("seeds = 30", format!("seeds = \"{long}\""), "line 4"),
        ("seeds = 30", format!("{long} = 3"), "line 4"),
        ("\"all\"", format!("\"{long}\""), "write \"all\""),
        (
            "[method.gp]",
            format!("[method.{long}]"),
            "runs on no black box",
        ),
    ];
    for (find, replace, expected) in cases {
        let message = problem(find, &replace);
        assert!(message.contains(expected), "{message}");
        assert!(message.len() < 1000, "{} bytes", message.len());
    }
}

#[test]
fn methods_may_have_names_and_be_there_several_times() {
    let named = EXAMPLE
        .replace("\"rs\", \"gp\"", "\"rs\", \"gp\", \"gp-ml\"")
        .replace("[method.gp]", "[[method]]\nname = \"gp-ml\"\nid = \"gp\"");
    let file = parse(&named).unwrap();
    let entry = file.method.get("gp-ml").unwrap();
    assert_eq!((entry.name.as_str(), entry.id.as_str()), ("gp-ml", "gp"));
    assert_eq!(entry.parameters["hyperprior"].canonical(), "none");
    assert_eq!(entry.parameters.len(), 1);
    assert_eq!(file.method.get("gp"), None);
    let unnamed = named
        .replace("name = \"gp-ml\"\n", "")
        .replace(", \"gp-ml\"", "");
    assert_eq!(
        parse(&unnamed).unwrap().method,
        parse(EXAMPLE).unwrap().method
    );
    let twice = "[[method]]\nname = \"gp-ml\"\nid = \"gp\"\n[[method]]\n";
    for (find, replace, expected) in [
        ("id = \"gp\"\n", "", "[[method]] gp-ml: id is missing"),
        ("id = \"gp\"", "id = 3", "id of a [[method]] must be a text"),
        (
            ", \"gp-ml\"",
            "",
            "line 7: [method.gp-ml] is for a method that runs on no black box",
        ),
        (
            "[[method]]\n",
            twice,
            "the names of [[method]]: `gp-ml` is listed twice",
        ),
        ("hyperprior = \"none\"", "hyperprior = [1]", "line 10"),
        ("[[method]]", "[method]\nx = 1\n", "expected a map"),
    ] {
        assert!(named.contains(find), "{find}");
        let message = parse(&named.replacen(find, replace, 1)).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn scales_and_direction_are_read() {
    let text = EXAMPLE.replace(
        "categorical = \"all\"",
        "direction = \"maximise\"\n\
         scales = { hp_lr = \"log\", hp_size = [\"small\", \"large\"], \"hp_n_*\" = [8, 16.0] }",
    );
    let message = parse(&text).unwrap_err();
    assert!(
        message.contains("`hp_n_*` has a list of levels"),
        "{message}"
    );
    let file = parse(&text.replace("\"hp_n_*\"", "hp_n")).unwrap();
    let columns = ["hp_lr", "hp_size", "hp_n", "hp_x"].map(str::to_owned);
    let spec = file.blackboxes[1].table_spec(&columns).unwrap();
    assert_eq!(spec.direction, Direction::Maximise);
    let levels = |levels: [&str; 2]| Scale::Levels(levels.map(str::to_owned).to_vec());
    assert_eq!(spec.scale("hp_lr"), Scale::Log);
    assert_eq!(spec.scale("hp_size"), levels(["small", "large"]));
    assert_eq!(spec.scale("hp_n"), levels(["8", "16"]));
    assert_eq!(spec.scale("hp_x"), Scale::Linear);
    for (find, replace, expected) in [
        (
            "\"all\"",
            "\"all\"\nscales = { hp_lr = \"logarithmic\" }",
            "categorical, boolean",
        ),
        (
            "\"all\"",
            "\"all\"\nscales = { hp_lr = \"lag\" }",
            "did you mean `log`?",
        ),
        (
            "\"all\"",
            "\"all\"\nscales = { hp_lr = 3 }",
            "or a list of levels",
        ),
        (
            "\"all\"",
            "\"all\"\nscales = { hp_lr = [3] }",
            "fewer than two levels",
        ),
        (
            "\"all\"",
            "\"all\"\nscales = { hp_lr = [3, 3.0] }",
            "`3` is listed twice",
        ),
        ("\"all\"", "\"all\"\ndirection = \"up\"", "`minimise`"),
    ] {
        let message = problem(find, replace);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let nested = open.repeat(100_000) + "1" + &close.repeat(100_000);
        let message = problem("\"all\"", &nested);
        assert!(message.len() < 1000, "{} bytes", message.len());
    }
    let dotted = vec!["a"; 100_000].join(".");
    problem("categorical = \"all\"", &format!("{dotted} = 1"));
}

#[test]
fn a_target_cannot_be_a_source_only() {
    let line = "sources_only = [\"wiki-rolling\"]";
    for key in ["sources_only", "sources"] {
        let message = problem(line, &format!("{key} = [\"a\"]\ntargets = [\"a\"]"));
        assert!(
            message.contains(&format!("both in targets and in {key}:")),
            "{message}"
        );
    }
}

#[test]
fn sources_are_read_and_refused_with_their_key() {
    let line = "sources_only = [\"wiki-rolling\"]";
    let file = parse(&EXAMPLE.replace(line, "sources = [\"b\", \"a\"]\nsource_tasks = 1")).unwrap();
    let sources = file.blackboxes[0].table_spec(&[]).unwrap().sources;
    assert_eq!(sources.named, ["a", "b"].map(str::to_owned).into());
    assert_eq!(sources.most, 1);
    for (replace, expected) in [
        ("sources = []", "sources is empty"),
        ("sources = [\"a\", \"a\"]", "sources: `a` is listed twice"),
        (
            "sources = [\"a\"]\nsources_only = [\"b\"]",
            "leave sources_only out",
        ),
        ("source_tasks = 0", "source_tasks is 0"),
        ("source_tasks = 10001", "allowed are 1 to 10000"),
    ] {
        let message = problem(line, replace);
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("black box `DeepAR`"), "{message}");
    }
    let message = problem("objective = \"metric_error\"", "objective = \"hp_lr\"");
    assert!(
        message.contains("`hp_lr`, which is a hyperparameter"),
        "{message}"
    );
}

#[test]
fn a_character_that_is_not_what_it_looks_like_is_refused_with_its_line() {
    let cases = [
        (
            "name = \"DeepAR\"",
            "name = \"Deep\u{202e}AR\"",
            "line 11, name: character 5 of the name is U+202E",
        ),
        (
            "name = \"DeepAR\"",
            "name = \"\\u001b[2J\"",
            "line 11, name: character 1 of the name is U+001B",
        ),
        (
            "sources_only = [\"wiki-rolling\"]",
            "sources_only = [\"wiki-rolling\",\n\"a\u{200b}\"]",
            "line 15, sources_only: character 2 of the name is U+200B",
        ),
        (
            "hyperprior = \"none\"",
            "\"hyper\\nprior\" = 1",
            "line 8, hyper\\nprior: character 6 of the name is U+000A",
        ),
    ];
    for (find, replace, expected) in cases {
        let message = problem(find, replace);
        assert!(message.contains(expected), "{message}");
        assert!(!message.chars().any(crate::untrusted_text::is_hazardous));
    }
}
