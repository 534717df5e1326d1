use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;

const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(20);

/// A listener whose connections echo, each byte being a request; it sends on which connections it took.
async fn echoing(limits: ConnectionLimits) -> (SocketAddr, mpsc::UnboundedReceiver<Arc<Client>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut listener = BoundedListener::new(listener, limits);
    let address = listener.address().unwrap();
    let (sender, clients) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let mut connection = listener.next().await;
            sender.send(Arc::clone(connection.client())).unwrap();
            tokio::spawn(async move {
                while let Ok(byte) = connection.read_u8().await {
                    connection.client().note_request();
                    if connection.write_u8(byte).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    (address, clients)
}

fn limits(connections: usize, between_requests: Option<Duration>) -> ConnectionLimits {
    ConnectionLimits {
        connections,
        first_request: SHORT,
        between_requests,
    }
}

async fn ask(stream: &mut TcpStream) -> io::Result<u8> {
    stream.write_u8(7).await?;
    stream.read_u8().await
}

async fn assert_closed(stream: &mut TcpStream) {
    let end = timeout(LONG, stream.read_u8()).await;
    assert!(end.expect("it is closed").is_err());
}

#[tokio::test]
async fn a_silent_client_is_closed_in_time_and_one_that_asked_may_stay() {
    let (address, _clients) = echoing(limits(10, None)).await;
    let mut useful = TcpStream::connect(address).await.unwrap();
    let mut silent = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut useful).await.unwrap(), 7);
    assert_closed(&mut silent).await;
    tokio::time::sleep(2 * SHORT).await;
    assert_eq!(ask(&mut useful).await.unwrap(), 7);
}

#[tokio::test]
async fn where_requests_have_to_follow_each_other_a_pause_closes() {
    let (address, _clients) = echoing(limits(10, Some(4 * SHORT))).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    for _ in 0..4 {
        assert_eq!(ask(&mut stream).await.unwrap(), 7);
        tokio::time::sleep(SHORT).await;
    }
    assert_closed(&mut stream).await;
}

#[tokio::test]
async fn the_most_silent_client_gives_way_to_the_next() {
    let mut patient = limits(3, None);
    patient.first_request = LONG;
    let (address, mut clients) = echoing(patient).await;
    let mut useful = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut useful).await.unwrap(), 7);
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    for _ in 0..21 {
        clients.recv().await.unwrap();
    }
    for stream in &mut silent[..18] {
        assert_closed(stream).await;
    }
    assert_eq!(ask(&mut silent[18]).await.unwrap(), 7);
    assert_eq!(ask(&mut silent[19]).await.unwrap(), 7);
    assert_eq!(ask(&mut useful).await.unwrap(), 7);
    // All are of use now, so that the next client is turned away.
    let mut late = TcpStream::connect(address).await.unwrap();
    assert_closed(&mut late).await;
    drop(silent);
    let mut retrying = TcpStream::connect(address).await.unwrap();
    while ask(&mut retrying).await.is_err() {
        retrying = TcpStream::connect(address).await.unwrap();
    }
}
