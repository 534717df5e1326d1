//! Messages over a pipe: each is preceded by its length, 4 bytes, little-endian.

use std::io::{self, Read, Write};

use loto_proto::limits::MAX_BLOB_BYTES;
use prost::Message;
use prost::bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Longest message: a blob with its name.
const MAX_BYTES: usize = MAX_BLOB_BYTES + 4096;

/// Reads a message; `None` at the end of the pipe.
pub(super) fn read<Kind: Message + Default>(pipe: &mut impl Read) -> io::Result<Option<Kind>> {
    let mut length = [0; 4];
    match pipe.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut bytes = vec![0; checked(length)?];
    pipe.read_exact(&mut bytes)?;
    decode(bytes).map(Some)
}

/// Writes a message.
pub(super) fn write(pipe: &mut impl Write, message: &impl Message) -> io::Result<()> {
    pipe.write_all(&encode(message)?)?;
    pipe.flush()
}

/// As [`read`], without blocking.
pub(super) async fn receive<Kind: Message + Default>(
    pipe: &mut (impl AsyncRead + Unpin),
) -> io::Result<Option<Kind>> {
    let mut length = [0; 4];
    match pipe.read_exact(&mut length).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    };
    let length = checked(length)?;
    // Memory grows with what really comes, whatever the length says.
    let mut bytes = Vec::new();
    pipe.take(length as u64).read_to_end(&mut bytes).await?;
    if bytes.len() < length {
        return Ok(None);
    }
    decode(bytes).map(Some)
}

/// As [`write`], without blocking.
pub(super) async fn send(
    pipe: &mut (impl AsyncWrite + Unpin),
    message: &impl Message,
) -> io::Result<()> {
    pipe.write_all(&encode(message)?).await?;
    pipe.flush().await
}

fn checked(length: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_BYTES {
        let problem = format!("a message of {length} bytes, allowed are {MAX_BYTES}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    Ok(length)
}

fn encode(message: &impl Message) -> io::Result<Vec<u8>> {
    let length = message.encoded_len();
    let prefix = u32::try_from(length).map_err(io::Error::other)?;
    checked(prefix.to_le_bytes())?;
    let mut bytes = Vec::with_capacity(4 + length);
    bytes.extend(prefix.to_le_bytes());
    message.encode(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn decode<Kind: Message + Default>(bytes: Vec<u8>) -> io::Result<Kind> {
    // Out of a slice a blob would be copied twice.
    Kind::decode(Bytes::from(bytes))
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use loto_proto::wire::{PutBlob, ToComputing, to_computing};

    use super::*;

    fn message() -> ToComputing {
        let job = to_computing::Message::Job(vec![1, 2, 3]);
        ToComputing { message: Some(job) }
    }

    #[tokio::test]
    async fn messages_survive_the_pipe_both_ways() {
        let mut bytes = Vec::new();
        write(&mut bytes, &message()).unwrap();
        send(&mut bytes, &message()).await.unwrap();
        let mut pipe = bytes.as_slice();
        assert_eq!(read(&mut pipe).unwrap(), Some(message()));
        assert_eq!(receive(&mut pipe).await.unwrap(), Some(message()));
        assert_eq!(read::<ToComputing>(&mut pipe).unwrap(), None);
        assert_eq!(receive::<ToComputing>(&mut pipe).await.unwrap(), None);
    }

    #[tokio::test]
    async fn nonsense_is_refused_and_a_cut_message_is_the_end() {
        let mut cut = Vec::new();
        write(&mut cut, &message()).unwrap();
        cut.pop();
        let received = receive::<ToComputing>(&mut cut.as_slice()).await;
        assert_eq!(received.unwrap(), None);
        for nonsense in [&[255; 8][..], &[2, 0, 0, 0, 255, 255]] {
            let received = receive::<PutBlob>(&mut &*nonsense).await;
            assert_eq!(received.unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
