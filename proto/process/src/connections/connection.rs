//! A connection that ends if its client keeps silent.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::limits::ConnectionLimits;

/// Who is at the other end, and when it last asked for something.
#[derive(Debug)]
pub struct Client {
    /// Its address.
    pub address: SocketAddr,
    accepted: Instant,
    last_request: Mutex<Option<Instant>>,
    closing: CancellationToken,
}

impl Client {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            accepted: Instant::now(),
            last_request: Mutex::new(None),
            closing: CancellationToken::new(),
        }
    }

    /// Tells that a whole request came which this process is willing to answer.
    pub fn note_request(&self) {
        *self.last_request.lock() = Some(Instant::now());
    }

    /// Ends its connection.
    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    /// Since when it may be closed for another client; `None` if it may not.
    pub(super) fn idle_since(&self, limits: &ConnectionLimits) -> Option<Instant> {
        match *self.last_request.lock() {
            None => Some(self.accepted),
            Some(last) => limits.between_requests.map(|_| last),
        }
    }

    /// When it will have kept silent for too long; `None`: never.
    fn deadline(&self, limits: &ConnectionLimits) -> Option<Instant> {
        match *self.last_request.lock() {
            None => Some(self.accepted + limits.first_request),
            Some(last) => limits.between_requests.map(|time| last + time),
        }
    }
}

/// A connection to a client. Reading and writing fail once the client kept silent for too long, or another
/// one needs the connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    client: Arc<Client>,
    limits: ConnectionLimits,
    /// Rings when silence may have lasted too long.
    alarm: Option<Pin<Box<Sleep>>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    open: Arc<Mutex<Vec<Arc<Client>>>>,
}

impl Connection {
    pub(super) fn new(
        stream: TcpStream,
        client: Arc<Client>,
        limits: ConnectionLimits,
        open: Arc<Mutex<Vec<Arc<Client>>>>,
    ) -> Self {
        let alarm = client.deadline(&limits).map(sleep_until).map(Box::pin);
        Self {
            stream,
            alarm,
            closing: Box::pin(client.closing.clone().cancelled_owned()),
            client,
            limits,
            open,
        }
    }

    /// Who is at the other end.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.closing.as_mut().poll(context).is_ready() {
            let reason = "another client needs the connection";
            return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
        }
        while let Some(alarm) = &mut self.alarm
            && alarm.as_mut().poll(context).is_ready()
        {
            match self.client.deadline(&self.limits) {
                Some(deadline) if deadline > Instant::now() => alarm.as_mut().reset(deadline),
                Some(_) => {
                    let reason = "the client kept silent for too long";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
                }
                None => self.alarm = None,
            }
        }
        Ok(())
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        open.retain(|client| !Arc::ptr_eq(client, &self.client));
    }
}
