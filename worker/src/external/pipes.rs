//! Lines to and from a program, with a deadline, whatever the program does with its pipes.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_ANSWER_LINE_BYTES, MAX_LAST_WORDS_BYTES};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Bytes read at a time.
const PIECE: usize = 64 << 10;

/// How long the end of a program's standard error is listened for after it failed.
const HEARING_OUT: Duration = Duration::from_millis(500);

/// The pipes to a program.
pub(super) struct Pipes {
    input: Option<File>,
    output: File,
    errors: Option<File>,
    /// What was read and is no answer yet.
    unread: Vec<u8>,
    /// The end of what the program wrote to its standard error.
    last_words: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum PipeProblem {
    /// The program did not answer in time.
    #[error("it did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    /// The program closed its output, most likely by ending.
    #[error("it closed its standard output")]
    Closed,
    /// The program writes a line that is too long.
    #[error(
        "it wrote a line of more than {MAX_ANSWER_LINE_BYTES} bytes, which is the most allowed"
    )]
    LongLine,
    /// The program wrote something before it was asked.
    #[error("it wrote to its standard output without being asked: `{0}`")]
    Unasked(String),
    /// The operating system fails.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl From<rustix::io::Errno> for PipeProblem {
    fn from(error: rustix::io::Errno) -> Self {
        Self::System(error.into())
    }
}

/// What can be done without waiting.
#[derive(Debug, Clone, Copy)]
struct Possible {
    write: bool,
    read: bool,
    hear: bool,
}

impl Pipes {
    /// Over the pipes of a child process.
    ///
    /// # Errors
    /// The system's, if the pipes cannot be made not to block.
    pub(super) fn new(input: OwnedFd, output: OwnedFd, errors: OwnedFd) -> io::Result<Self> {
        for pipe in [&input, &output, &errors] {
            let flags = fcntl_getfl(pipe)?;
            fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?;
        }
        Ok(Self {
            input: Some(input.into()),
            output: output.into(),
            errors: Some(errors.into()),
            unread: Vec::new(),
            last_words: Vec::new(),
        })
    }

    /// Forgets what the program said so far to its standard error.
    pub(super) fn forget_words(&mut self) {
        self.last_words.clear();
    }

    /// Sends a message and waits for the line that answers it.
    ///
    /// # Errors
    /// [`PipeProblem`]; the pipes are of no use then.
    pub(super) fn ask(
        &mut self,
        message: &[u8],
        deadline: Duration,
    ) -> Result<Vec<u8>, PipeProblem> {
        self.converse(message, true, deadline)
    }

    /// Sends a message that has no answer.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(super) fn tell(&mut self, message: &[u8], deadline: Duration) -> Result<(), PipeProblem> {
        self.converse(message, false, deadline).map(|_| ())
    }

    fn converse(
        &mut self,
        message: &[u8],
        wants_answer: bool,
        deadline: Duration,
    ) -> Result<Vec<u8>, PipeProblem> {
        if !self.unread.is_empty() {
            return Err(self.unasked());
        }
        let until = Instant::now() + deadline;
        let mut unsent = message;
        loop {
            if let Some(line) = self.whole_line()? {
                if !unsent.is_empty() || !self.unread.is_empty() || !wants_answer {
                    self.unread.splice(0..0, line);
                    return Err(self.unasked());
                }
                return Ok(line);
            }
            if unsent.is_empty() && !wants_answer {
                return Ok(Vec::new());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(PipeProblem::Silent(deadline));
            }
            let possible = self.wait(!unsent.is_empty(), left)?;
            if possible.hear {
                self.hear();
            }
            if possible.read {
                self.read()?;
            }
            if possible.write {
                let written = self.input.as_mut().map(|input| input.write(unsent));
                match written.unwrap_or_else(|| Err(ErrorKind::BrokenPipe.into())) {
                    Ok(written) => unsent = &unsent[written..],
                    Err(error) if is_passing(&error) => {}
                    // It may have said why before it closed its input.
                    Err(_) => unsent = &[],
                }
            }
        }
    }

    /// Waits until something can be done, at most so long.
    fn wait(&self, write: bool, at_most: Duration) -> Result<Possible, PipeProblem> {
        let timeout = timespec(at_most);
        let mut watched = vec![PollFd::new(&self.output, PollFlags::IN)];
        if let Some(errors) = &self.errors {
            watched.push(PollFd::new(errors, PollFlags::IN));
        }
        let input = self.input.as_ref().filter(|_| write);
        if let Some(input) = input {
            watched.push(PollFd::new(input, PollFlags::OUT));
        }
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |position: usize| {
            let watched = watched.get(position);
            watched.is_some_and(|watched| !watched.revents().is_empty())
        };
        let heard = usize::from(self.errors.is_some());
        Ok(Possible {
            read: is_ready(0),
            hear: heard == 1 && is_ready(1),
            write: input.is_some() && is_ready(1 + heard),
        })
    }

    /// Takes the first line of what was read.
    fn whole_line(&mut self) -> Result<Option<Vec<u8>>, PipeProblem> {
        let end = self.unread.iter().position(|&byte| byte == b'\n');
        if end.unwrap_or(self.unread.len()) > MAX_ANSWER_LINE_BYTES {
            return Err(PipeProblem::LongLine);
        }
        Ok(end.map(|end| self.unread.drain(..=end).collect()))
    }

    fn read(&mut self) -> Result<(), PipeProblem> {
        let mut piece = [0; PIECE];
        match self.output.read(&mut piece) {
            Ok(0) => Err(PipeProblem::Closed),
            Ok(length) => {
                self.unread.extend(&piece[..length]);
                Ok(())
            }
            Err(error) if is_passing(&error) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a piece of the standard error and keeps its end.
    fn hear(&mut self) {
        let mut piece = [0; PIECE];
        let Some(errors) = &mut self.errors else {
            return;
        };
        match errors.read(&mut piece) {
            Ok(length @ 1..) => {
                self.last_words.extend(&piece[..length]);
                let surplus = self.last_words.len().saturating_sub(MAX_LAST_WORDS_BYTES);
                self.last_words.drain(..surplus);
            }
            Err(error) if is_passing(&error) => {}
            Ok(_) | Err(_) => self.errors = None,
        }
    }

    fn unasked(&self) -> PipeProblem {
        let text = String::from_utf8_lossy(&self.unread[..self.unread.len().min(1000)]);
        PipeProblem::Unasked(excerpt(text.trim_end()))
    }

    /// Closes the program's input, at which its guard ends it.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// The end of what the program wrote to its standard error, which is listened to until it is closed.
    pub(super) fn last_words(&mut self) -> String {
        let until = Instant::now() + HEARING_OUT;
        while let Some(errors) = &self.errors {
            let left = timespec(until.saturating_duration_since(Instant::now()));
            let heard = poll(&mut [PollFd::new(errors, PollFlags::IN)], Some(&left));
            if !matches!(heard, Ok(1..)) {
                break;
            }
            self.hear();
        }
        String::from_utf8_lossy(&self.last_words).into_owned()
    }
}

/// Whether the same call may succeed in a moment.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const SHORT: Duration = Duration::from_millis(300);

    fn shell(script: &str) -> (Child, Pipes) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap().into();
        let output = child.stdout.take().unwrap().into();
        let errors = child.stderr.take().unwrap().into();
        (child, Pipes::new(input, output, errors).unwrap())
    }

    #[test]
    fn a_long_message_to_who_does_not_read_ends_at_the_deadline() {
        let (mut child, mut pipes) = shell("exec sleep 100");
        let message = vec![b'x'; 4 << 20];
        let begin = Instant::now();
        let problem = pipes.ask(&message, SHORT).unwrap_err();
        assert!(matches!(problem, PipeProblem::Silent(_)), "{problem}");
        assert!(begin.elapsed() < 10 * SHORT);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn lines_come_whole_and_a_flood_of_errors_keeps_its_end() {
        let script = "printf 'fir'; sleep .1; echo st; read -r x; \
                      head -c 3000000 /dev/zero >&2; echo \"$x\" the end >&2; echo second";
        let (mut child, mut pipes) = shell(script);
        let patience = Duration::from_secs(20);
        assert_eq!(pipes.ask(b"", patience).unwrap(), b"first\n");
        assert_eq!(pipes.ask(b"is\n", patience).unwrap(), b"second\n");
        let problem = pipes.ask(b"more\n", patience).unwrap_err();
        assert!(matches!(problem, PipeProblem::Closed), "{problem}");
        pipes.close();
        let words = pipes.last_words();
        assert!(words.ends_with("is the end\n"), "{words:?}");
        assert_eq!(words.len(), MAX_LAST_WORDS_BYTES);
        child.wait().unwrap();
    }

    #[test]
    fn what_was_not_asked_for_and_what_has_no_end_are_refused() {
        let (mut child, mut pipes) = shell("printf 'one\\ntwo\\n'; exec sleep 100");
        let problem = pipes.ask(b"", Duration::from_secs(20)).unwrap_err();
        let told = problem.to_string();
        assert!(told.contains("without being asked"), "{told}");
        child.kill().unwrap();
        child.wait().unwrap();
        let (mut child, mut pipes) = shell("exec cat /dev/zero");
        let problem = pipes.ask(b"", Duration::from_secs(20)).unwrap_err();
        assert!(matches!(problem, PipeProblem::LongLine), "{problem}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
