//! dev
use loto_coordinator::{plan::*, report::*, score::*, statistics::analysis::*};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let plan = Plan::read(&SweepSource::File(args[2].clone().into()), Some("/work/shared/data".as_ref())).unwrap();
    let fcnet = vec!["FCNET".to_string()];
    let rules = match args.get(4).map(String::as_str) { Some("refuse") => ForeignValues::default(), Some("clean") => ForeignValues::new(Some(&fcnet), Some(&[])).unwrap(), _ => ForeignValues::new(Some(&[]), None).unwrap() };
    let t = std::time::Instant::now();
    let scored = match score_read(&args[1], &plan, &rules) { Ok(s) => s, Err(e) => { println!("{e}"); return } };
    eprintln!("read {:?}", t.elapsed());
    let analysis = analyse(&scored.results, &AnalysisOptions::default()).unwrap();
    eprintln!("analysed {:?}", t.elapsed());
    let report = Report { results: &scored.results, analysis: &analysis, sweep: None, notes: &scored.notes };
    report.write_folder(args[3].as_ref()).unwrap();
    eprintln!("written {:?}", t.elapsed());
    report.write(Format::Text, &mut std::io::stdout()).unwrap();
}
fn score_read(p: &str, plan: &Plan, r: &ForeignValues) -> Result<ScoredTraces, loto_coordinator::CoordinatorError> { read(p.as_ref(), plan, r) }
