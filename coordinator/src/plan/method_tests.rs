//! Which methods a sweep file may give a black box.

use loto_engine::methods::Spaces;
use loto_proto::sweep::Sweep;

use super::tests::{Folder, SWEEP};

#[test]
fn an_unknown_method_is_refused_with_the_known_ones() {
    let problem = Folder::new().problem("\"gp\"", "\"gpp\"");
    assert!(
        problem.contains("black box `B`: unknown method `gpp`") && problem.contains("gcp-prior"),
        "{problem}"
    );
}

#[test]
fn a_black_box_may_run_methods_of_its_own() {
    let folder = Folder::new();
    let entry = &SWEEP[SWEEP.find("[[blackbox]]").unwrap()..];
    let second = entry.replace(
        "name = \"B\"",
        "name = \"C\"\niterations = 2\nmethods = [\"gcp\"]",
    );
    let sweep = folder.plan(&format!("{SWEEP}\n{second}")).unwrap().sweep;
    let methods = |position: usize| -> Vec<&str> {
        let methods = &sweep.blackboxes[position].methods;
        methods.iter().map(|method| method.id.as_str()).collect()
    };
    assert_eq!(methods(0), ["rs", "gp"]);
    assert_eq!(methods(1), ["gcp"]);
    assert_eq!(sweep.job_count(), (2 + 1) * 3 * 2);
    // The default list does not enter the identity, only what runs.
    let alone = SWEEP.replace("objective", "methods = [\"rs\", \"gp\"]\nobjective");
    let alone = folder
        .plan(&alone.replacen("methods = [\"rs\", \"gp\"]", "", 1))
        .unwrap();
    assert_eq!(alone.sweep.id(), folder.plan(SWEEP).unwrap().sweep.id());
}

#[test]
fn a_method_for_categorical_spaces_is_refused_on_a_numeric_one() {
    let folder = Folder::new();
    let registry = loto_engine::methods::registry();
    for method in registry.iter().filter(|m| m.spaces == Spaces::Categorical) {
        let problem = folder.problem("\"gp\"", &format!("\"{}\"", method.id));
        for part in ["sweep.toml", "`B`", method.id, "hp_a", "its own `methods`"] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
        let categorical = SWEEP
            .replace("\"gp\"", &format!("\"{}\"", method.id))
            .replace("objective", "categorical = \"all\"\nobjective");
        folder.plan(&categorical).unwrap();
    }
}

#[test]
fn methods_that_cannot_run_are_refused_together_and_those_that_can_are_listed() {
    let folder = Folder::new();
    let mixed = r#"methods = ["rs", "mkl-gp", "bohb", "gp", "ehi", "rea"]"#;
    let problem = folder.problem(r#"methods = ["rs", "gp"]"#, mixed);
    assert!(problem.contains("`mkl-gp` compares tasks"), "{problem}");
    let advice = problem.find("methods = [").expect("methods are listed");
    assert_eq!(problem[advice..], *r#"methods = ["rs", "gp"]"#);
    let own =
        SWEEP.replace(r#"methods = ["rs", "gp"]"#, mixed) + &format!("{}\n", &problem[advice..]);
    let plan = folder.plan(&own).unwrap();
    assert_eq!(plan.sweep.blackboxes[0].methods.len(), 2);

    let problem = folder.problem(r#""rs", "gp""#, r#""bohb", "rea""#);
    assert!(
        problem.ends_with("none that it has now can run on it"),
        "{problem}"
    );
}

#[test]
fn a_default_spelled_out_makes_no_other_job() {
    let folder = Folder::new();
    let registry = loto_engine::methods::registry();
    let gp = registry.iter().find(|method| method.id == "gp").unwrap();
    let parameter = &gp.parameters[0];
    let spelled = format!(
        "[method.gp]\n{} = \"{}\"\n\n[[blackbox]]",
        parameter.name, parameter.default
    );
    let spelled = SWEEP.replace("[[blackbox]]", &spelled);
    let plain = folder.plan(SWEEP).unwrap().sweep;
    assert_eq!(folder.plan(&spelled).unwrap().sweep.id(), plain.id());
}

#[test]
fn a_method_for_two_objectives_is_refused_on_one() {
    let folder = Folder::new();
    let registry = loto_engine::methods::registry();
    let mut methods = registry.iter();
    let method = methods
        .find(|m| m.spaces == Spaces::OfTwoObjectives)
        .unwrap();
    let problem = folder.problem("\"gp\"", &format!("\"{}\"", method.id));
    for part in [
        "sweep.toml",
        "`B`",
        method.id,
        "there is one",
        "its own `methods`",
    ] {
        assert!(problem.contains(part), "{part}: {problem}");
    }
}

#[test]
fn variants_of_a_method_run_side_by_side_under_their_names() {
    let folder = Folder::new();
    let variants =
        "[[method]]\nname = \"gp-ml\"\nid = \"gp\"\nhyperprior = \"none\"\n\n[[blackbox]]";
    let sweep = SWEEP
        .replace("\"gp\"", "\"gp\", \"gp-ml\"")
        .replace("[[blackbox]]", variants);
    let plan = folder.plan(&sweep).unwrap();
    let methods = &plan.sweep.blackboxes[0].methods;
    let labels: Vec<_> = methods.iter().map(|method| method.label()).collect();
    assert_eq!(labels, ["rs", "gp", "gp-ml"]);
    assert_eq!(methods[2].id, "gp");
    assert_eq!(plan.method_names().len(), 3);
    // The jobs are those of the plain method and of one with parameters, whatever the names.
    let alone = SWEEP.replace(
        "[[blackbox]]",
        "[method.gp]\nhyperprior = \"none\"\n\n[[blackbox]]",
    );
    let alone = folder.plan(&alone).unwrap().sweep;
    let series = |sweep: &Sweep, position: usize| {
        let blackbox = &sweep.blackboxes[0];
        blackbox.series(&blackbox.methods[position], "first").id()
    };
    assert_eq!(series(&plan.sweep, 2), series(&alone, 1));
    let plain = folder.plan(SWEEP).unwrap().sweep;
    assert_eq!(series(&plan.sweep, 1), series(&plain, 1));
    let renamed = SWEEP.replace("\"gp\"", "\"mine\"").replace(
        "[[blackbox]]",
        "[[method]]\nname = \"mine\"\nid = \"gp\"\n\n[[blackbox]]",
    );
    assert_eq!(folder.plan(&renamed).unwrap().sweep.id(), plain.id());
}

#[test]
fn names_of_variants_that_mislead_are_refused() {
    let folder = Folder::new();
    for (line, name, id, expected) in [
        (8, "gcp", "gp", "its name is the id of another method"),
        (
            3,
            "mine",
            "gp",
            "`gp` and `mine` are both the method `gp` with the same parameters",
        ),
        (9, "mine", "gpp", "unknown method `gpp`; did you mean"),
    ] {
        let sweep = SWEEP
            .replace("\"gp\"", &format!("\"gp\", \"{name}\""))
            .replace(
                "[[blackbox]]",
                &format!("[[method]]\nname = \"{name}\"\nid = \"{id}\"\n\n[[blackbox]]"),
            );
        let error = folder.plan(&sweep).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        let place = format!("line {line}: black box `B`");
        assert!(error.contains(&place), "{error}");
    }
}
