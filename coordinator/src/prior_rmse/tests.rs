use std::fs;

use loto_transport::store::EmbeddedStore;
use loto_worker::consumer::ConsumerOptions;
use loto_worker::threads::methods_on_threads;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::dispatch::record;
use crate::embedded;
use crate::plan::{Plan, SweepSource};
use crate::results::{CollectedTraces, Selection};
use loto_statistics::analysis::{AnalysisOptions, TaskAnalysis, analyse};

/// Three tasks on 40 values of one hyperparameter: two are the same, one is their reverse.
fn plan(folder: &std::path::Path, methods: &str) -> Plan {
    let mut table = String::from("hp_a,metric_error,task\n");
    for (task, rises) in [("alike", true), ("twin", true), ("reverse", false)] {
        for row in 0..40 {
            let value = if rises { row } else { 40 - row };
            table.push_str(&format!("{row},{value},{task}\n"));
        }
    }
    fs::write(folder.join("table.csv"), table).unwrap();
    let path = folder.join("sweep.toml");
    let sweep = format!(
        "name = \"test\"\nmethods = [{methods}]\nseeds = 2\niterations = 5\n\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n"
    );
    fs::write(&path, sweep).unwrap();
    Plan::read(&SweepSource::File(path), None).unwrap()
}

async fn analysed(methods: &str) -> SweepAnalysis {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path(), methods);
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::in_memory().await.unwrap());
    record(&plan, store.as_ref()).await.unwrap();
    let shutdown = CancellationToken::new();
    let compute = Arc::new(methods_on_threads(Arc::clone(&store)));
    embedded::run(
        &plan,
        None,
        Arc::clone(&store),
        compute,
        ConsumerOptions::default(),
        shutdown,
        |_| {},
    )
    .await
    .unwrap();
    let sweep = plan.sweep.clone();
    let collected = CollectedTraces::of_finished(store.as_ref(), sweep);
    let (collected, damaged) = collected.await.unwrap();
    assert!(damaged.is_empty());
    let results = collected.results(&Selection::default());
    let mut analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    analysis.linear_algebra = collected.linear_algebra();
    fill_in(&mut analysis, &plan.sweep, Arc::clone(&store))
        .await
        .unwrap();
    analysis
}

#[test]
fn seeds_that_were_fitted_are_averaged() {
    let mean = |known: &[Option<f64>], seeds| {
        mean_of_seeds(seeds, |seed| Ok(known[seed as usize])).unwrap()
    };
    assert_eq!(mean(&[Some(1.0), None, Some(2.0)], 3), Some(1.5));
    assert_eq!(mean(&[Some(1.0), None, Some(2.0)], 2), Some(1.0));
    assert_eq!(mean(&[None, None], 2), None);
    assert_eq!(mean(&[Some(1.0); 10], 1000), Some(1.0));
}

#[tokio::test]
async fn a_task_unlike_its_sources_has_the_greatest_error_and_comes_last() {
    let analysis = analysed("\"rs\", \"cts\"").await;
    let blackbox = &analysis.blackboxes[0];
    let errors: Vec<f64> = blackbox
        .tasks
        .iter()
        .map(|task| task.prior_rmse.unwrap())
        .collect();
    // psi of 40 distinct values has a mean square just below 1. The prior of `reverse` is its
    // opposite: twice as far off. That of the twins is the mean of opposites: about 0.
    assert!((0.7..1.3).contains(&errors[0]), "{errors:?}");
    assert!((0.7..1.3).contains(&errors[1]), "{errors:?}");
    assert!((1.5..2.2).contains(&errors[2]), "{errors:?}");
    let ordered = blackbox.tasks_by_prior_rmse();
    assert_eq!(ordered[2].name, "reverse");
    // The sources are straight lines but for the ends of the quantiles, and neighbours are rows of both.
    for (task, error) in blackbox.tasks.iter().zip(errors) {
        let linear = task.linear_prior_rmse.unwrap();
        let nearest = task.nearest_neighbours_prior_rmse.unwrap();
        assert!((linear - error).abs() < 0.5, "{linear} {error}");
        assert!((nearest - error).abs() < 0.5, "{nearest} {error}");
    }
}

#[tokio::test]
async fn without_a_method_that_fits_priors_there_is_none() {
    // `ts` has a prior, but not that of the copula.
    let analysis = analysed("\"rs\", \"ts\"").await;
    let blackbox = &analysis.blackboxes[0];
    assert!(blackbox.tasks.iter().all(|task| task.prior_rmse.is_none()));
    let none = |task: &TaskAnalysis| task.linear_prior_rmse.is_none();
    assert!(blackbox.tasks.iter().all(none));
    let ordered = blackbox.tasks_by_prior_rmse();
    let names: Vec<&str> = ordered.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["alike", "twin", "reverse"]);
}
