//! Asks the service over gRPC and measures how long its answers take.

use std::time::{Duration, Instant};

use loto_service::wire;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_tests::synthetic_sweep::Shape;
use tonic::Status;
use tonic::transport::Channel;

/// The largest answer that the service sends.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Progress,
    AverageCurves,
    AllCurves,
    Improvement,
    Comparison,
}

impl Question {
    pub(crate) const ALL: [Self; 5] = [
        Self::Progress,
        Self::AverageCurves,
        Self::AllCurves,
        Self::Improvement,
        Self::Comparison,
    ];
}

/// A client for one sweep.
#[derive(Clone)]
pub(crate) struct Asker {
    client: AggregatorClient<Channel>,
    sweep_id: String,
    /// For the curves of all tasks: empty if they are not too many.
    methods: Vec<String>,
    all_methods: u64,
}

impl Asker {
    pub(crate) async fn connect(address: &str, sweep_id: String, shape: Shape) -> Self {
        let client = AggregatorClient::connect(format!("http://{address}")).await;
        let points = shape.series() * shape.iterations as usize;
        Self {
            client: client
                .expect("it serves")
                .max_decoding_message_size(MAX_ANSWER_BYTES),
            sweep_id,
            all_methods: shape.methods as u64,
            methods: if points > 900_000 {
                vec!["m1".into()]
            } else {
                Vec::new()
            },
        }
    }

    /// How many of all traces an answer is about at least, if nothing is missing.
    pub(crate) fn expected(&self, question: Question, all: u64) -> u64 {
        if question == Question::AllCurves && !self.methods.is_empty() {
            all / self.all_methods
        } else {
            all
        }
    }

    /// Asks; tells how many traces the answer is about, and how long it took.
    pub(crate) async fn ask(&mut self, question: Question) -> Result<(u64, Duration), Status> {
        let sweep_id = self.sweep_id.clone();
        let begin = Instant::now();
        let completeness = match question {
            Question::Progress => {
                let request = wire::GetProgressRequest { sweep_id };
                let answer = self.client.get_progress(request).await?;
                return Ok((answer.into_inner().done, begin.elapsed()));
            }
            Question::AverageCurves | Question::AllCurves => {
                let only_averages = question == Question::AverageCurves;
                let methods = if only_averages {
                    Vec::new()
                } else {
                    self.methods.clone()
                };
                let request = wire::GetCurvesRequest {
                    sweep_id,
                    only_averages,
                    selection: Some(wire::Selection {
                        methods,
                        ..Default::default()
                    }),
                    ..Default::default()
                };
                self.client
                    .get_curves(request)
                    .await?
                    .into_inner()
                    .completeness
            }
            Question::Improvement => {
                let request = wire::GetImprovementRequest {
                    sweep_id,
                    ..Default::default()
                };
                self.client
                    .get_improvement(request)
                    .await?
                    .into_inner()
                    .completeness
            }
            Question::Comparison => {
                let request = wire::CompareMethodsRequest {
                    sweep_id,
                    ..Default::default()
                };
                self.client
                    .compare_methods(request)
                    .await?
                    .into_inner()
                    .completeness
            }
        };
        let completeness = completeness.expect("each analysis has it");
        Ok((completeness.finished, begin.elapsed()))
    }
}

/// Times that answers took.
#[derive(Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Number, median, 99th percentile and maximum, the times in milliseconds.
    pub(crate) fn summary(&mut self) -> String {
        self.0.sort_unstable();
        let at = |share: f64| {
            let position = ((self.0.len() as f64 * share).ceil() as usize).max(1) - 1;
            self.0[position.min(self.0.len() - 1)].as_secs_f64() * 1e3
        };
        format!(
            "{:>6} {:>8.1} {:>8.1} {:>8.1}",
            self.0.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        )
    }
}
