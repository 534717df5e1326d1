//! One process of a method, seen from the process that computes.

use std::fs;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use loto_engine::ProgramError;
use loto_proto::excerpt::excerpt;
use loto_proto::external_program::{ExternalProgram, PROTOCOL};
use tempfile::TempDir;

use super::failure::{EndStatus, MethodFailure, MethodProblem, Step, shown};
use super::guard;
use super::hand_over::HandedOver;
use super::messages::{Answer, Question, Ready};
use super::pipes::{PipeProblem, Pipes};
use super::{environment, method_folder, python_package};

/// How long a guard may take to end a method with all its descendants.
const DEATH: Duration = Duration::from_secs(12);

/// How long a method that closed its output may take to have ended.
const ENDING: Duration = Duration::from_secs(1);

/// A method that is ready for jobs. Who drops it ends it with all its descendants and removes its folder.
pub(super) struct MethodProcess {
    pub(super) program: Arc<ExternalProgram>,
    pub(super) handed_over: HandedOver,
    pub(super) ready: Ready,
    running: Running,
}

/// A guard with the method that it guards.
struct Running {
    guard: Child,
    pipes: Pipes,
    folder: PathBuf,
    status: Option<ExitStatus>,
}

impl MethodProcess {
    /// Starts a program, kept from the `withheld` paths, and waits until it is ready.
    ///
    /// # Errors
    /// [`MethodFailure`], as a [`ProgramError`].
    pub(super) fn start(
        program: &Arc<ExternalProgram>,
        withheld: &[PathBuf],
    ) -> Result<Self, ProgramError> {
        let started = Running::start(program, withheld);
        let mut running = started.map_err(|error| {
            let problem = MethodProblem::NotStarted(error);
            failure(program, Step::Message("hello"), problem, String::new())
        })?;
        let hello = Question::Hello {
            protocols: [PROTOCOL],
            loto: env!("CARGO_PKG_VERSION"),
        };
        let step = Step::Message("hello");
        let deadline = Duration::from_secs(program.start_deadline.into());
        let ready = match running.ask(&hello, deadline) {
            Ok(Answer::Ready(ready)) if ready.protocol == PROTOCOL => Ok(ready),
            Ok(Answer::Ready(ready)) => Err(MethodProblem::OtherProtocol(ready.protocol)),
            Ok(other) => Err(other_answer(&other, "`ready`")),
            Err(MethodProblem::Ended(EndStatus::Code(0))) => Err(MethodProblem::EndedUnready),
            Err(problem) => Err(problem),
        };
        match ready {
            Ok(ready) => Ok(Self {
                program: Arc::clone(program),
                handed_over: HandedOver::new(&running.folder),
                ready,
                running,
            }),
            Err(problem) => Err(running.fail(program, step, problem)),
        }
    }

    /// Whether it still runs.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.running.guard.try_wait(), Ok(None))
    }

    /// Forgets what was said about the job before.
    pub(super) fn begin_job(&mut self) {
        self.running.pipes.forget_words();
    }

    /// Asks and waits for the answer, which is no error.
    ///
    /// # Errors
    /// [`MethodProblem`]; the process is of no use then.
    pub(super) fn ask(&mut self, question: &Question<'_>) -> Result<Answer, MethodProblem> {
        let deadline = self.choice_deadline();
        self.running.ask(question, deadline)
    }

    /// Sends a message that has no answer.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(super) fn tell(&mut self, question: &Question<'_>) -> Result<(), MethodProblem> {
        let deadline = self.choice_deadline();
        let line = written(question)?;
        let told = self.running.pipes.tell(&line, deadline);
        told.map_err(|problem| self.running.explain(problem))
    }

    fn choice_deadline(&self) -> Duration {
        Duration::from_secs(self.program.choice_deadline.into())
    }

    /// Ends it because of a problem, and says what is known.
    pub(super) fn fail(mut self, step: Step, problem: MethodProblem) -> ProgramError {
        self.running.fail(&self.program, step, problem)
    }
}

impl Running {
    fn start(program: &ExternalProgram, withheld: &[PathBuf]) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(method_folder::PREFIX)
            .tempdir()?;
        unpack(program, folder.path())?;
        let mut command = Command::new("/proc/self/exe");
        environment::set(&mut command, folder.path());
        command
            .arg(guard::ARGUMENT)
            .arg(folder.path())
            .arg(withheld.len().to_string())
            .args(withheld)
            .args(&program.command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut guard = command.spawn()?;
        let pipes = (guard.stdin.take(), guard.stdout.take(), guard.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("it has no pipes"));
        };
        let pipes = Pipes::new(input.into(), output.into(), errors.into())?;
        Ok(Self {
            guard,
            pipes,
            // From here on the guard removes it.
            folder: TempDir::keep(folder),
            status: None,
        })
    }

    fn ask(
        &mut self,
        question: &Question<'_>,
        deadline: Duration,
    ) -> Result<Answer, MethodProblem> {
        let line = written(question)?;
        let answered = self.pipes.ask(&line, deadline);
        let line = answered.map_err(|problem| self.explain(problem))?;
        let answer = serde_json::from_slice(&line).map_err(|source| MethodProblem::NoAnswer {
            line: shown(&line),
            source,
        })?;
        match answer {
            Answer::Error { message, traceback } => {
                Err(MethodProblem::Reported { message, traceback })
            }
            answer => Ok(answer),
        }
    }

    /// Of a program that closed its output: how it ended, if it did.
    fn explain(&mut self, problem: PipeProblem) -> MethodProblem {
        if !matches!(problem, PipeProblem::Closed) {
            return problem.into();
        }
        let until = Instant::now() + ENDING;
        while self.status.is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
            self.status = self.guard.try_wait().unwrap_or(None);
        }
        // It closed its output and lives on.
        let Some(status) = self.status else {
            return problem.into();
        };
        MethodProblem::Ended(match (status.code(), status.signal()) {
            (Some(code @ 129..=192), _) => EndStatus::Signal(code - 128),
            (Some(code), _) => EndStatus::Code(code),
            (None, Some(signal)) => EndStatus::Signal(signal),
            (None, None) => EndStatus::Unknown,
        })
    }

    /// Ends the method, and says what is known of its failure.
    fn fail(
        &mut self,
        program: &ExternalProgram,
        step: Step,
        problem: MethodProblem,
    ) -> ProgramError {
        self.pipes.close();
        let last_words = self.pipes.last_words();
        self.end();
        failure(program, step, problem, last_words)
    }

    /// Ends the method with all its descendants and waits until they are gone.
    fn end(&mut self) {
        self.pipes.close();
        let until = Instant::now() + DEATH;
        while self.status.is_none() {
            match self.guard.try_wait() {
                Ok(None) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(None) => {
                    let _gone = self.guard.kill();
                    self.status = self.guard.wait().ok();
                    break;
                }
                Ok(status) => self.status = status,
                Err(_) => break,
            }
        }
        // It is gone already unless the guard was killed.
        let _removed = fs::remove_dir_all(&self.folder);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// The answer is another message than those that may come.
pub(super) fn other_answer(found: &Answer, expected: &'static str) -> MethodProblem {
    let found = found.name();
    MethodProblem::OtherAnswer { found, expected }
}

fn written(question: &Question<'_>) -> Result<Vec<u8>, MethodProblem> {
    let mut line = serde_json::to_vec(question).map_err(MethodProblem::Unwritable)?;
    line.push(b'\n');
    Ok(line)
}

fn failure(
    program: &ExternalProgram,
    step: Step,
    problem: MethodProblem,
    last_words: String,
) -> ProgramError {
    let details = match &problem {
        MethodProblem::Reported { traceback, .. } if !traceback.is_empty() => traceback.clone(),
        _ => last_words.clone(),
    };
    ProgramError {
        source: Box::new(MethodFailure {
            method: excerpt(&program.name),
            command: program.command_line(),
            step,
            problem,
            last_words,
        }),
        details,
    }
}

/// Writes the files of a program, and what it finds beside them.
fn unpack(program: &ExternalProgram, folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let files = folder.join(method_folder::PROGRAM);
    fs::create_dir(&files)?;
    for file in &program.files {
        let path = files.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, &file.content)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
    }
    for made in [
        method_folder::TEMPORARY,
        method_folder::SHOWN,
        method_folder::KEPT,
    ] {
        fs::create_dir(folder.join(made))?;
    }
    python_package::write(&folder.join(method_folder::PYTHON))
}
