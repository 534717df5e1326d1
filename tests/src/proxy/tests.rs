use std::time::Instant;

use tokio::time::timeout;

use super::*;

const SHORT: Duration = Duration::from_millis(300);

/// A proxy to a server that sends everything back, and a connection through it.
async fn echo() -> (Proxy, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = Proxy::to(listener.local_addr().unwrap()).await;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = stream.split();
                tokio::io::copy(&mut reader, &mut writer).await
            });
        }
    });
    let connection = connect(&proxy).await;
    (proxy, connection)
}

async fn connect(proxy: &Proxy) -> TcpStream {
    let address = ("127.0.0.1", proxy.port());
    TcpStream::connect(address).await.unwrap()
}

async fn exchange(connection: &mut TcpStream, text: &[u8]) -> std::io::Result<Vec<u8>> {
    connection.write_all(text).await?;
    let mut answer = vec![0; text.len()];
    connection.read_exact(&mut answer).await?;
    Ok(answer)
}

#[tokio::test]
async fn it_forwards_and_cuts_what_is_open() {
    let (proxy, mut connection) = echo().await;
    assert_eq!(exchange(&mut connection, b"hello").await.unwrap(), b"hello");
    proxy.cut(3);
    assert!(exchange(&mut connection, b"hello").await.is_err());
    let mut next = connect(&proxy).await;
    assert_eq!(exchange(&mut next, b"again").await.unwrap(), b"again");
}

#[tokio::test]
async fn a_silent_connection_is_cut_too() {
    let (proxy, mut connection) = echo().await;
    exchange(&mut connection, b"hello").await.unwrap();
    proxy.cut(3);
    let end = timeout(20 * LONGEST_SILENCE, connection.read(&mut [0; 1])).await;
    assert!(matches!(end.unwrap(), Ok(0) | Err(_)));
}

#[tokio::test]
async fn it_stalls_swallows_and_turns_away() {
    let (proxy, mut connection) = echo().await;
    exchange(&mut connection, b"hello").await.unwrap();
    let begin = Instant::now();
    let (answer, ()) = tokio::join!(exchange(&mut connection, b"late"), proxy.stall(SHORT));
    assert_eq!(answer.unwrap(), b"late");
    assert!(begin.elapsed() >= SHORT);

    proxy.swallow();
    let nothing = timeout(SHORT, exchange(&mut connection, b"lost")).await;
    assert!(nothing.is_err(), "{nothing:?}");

    let refused = async {
        sleep(SHORT / 3).await;
        let mut connection = connect(&proxy).await;
        exchange(&mut connection, b"hello").await
    };
    let (refused, ()) = tokio::join!(refused, proxy.turn_away(SHORT));
    assert!(refused.is_err(), "{refused:?}");
    let mut next = connect(&proxy).await;
    assert_eq!(exchange(&mut next, b"again").await.unwrap(), b"again");
}

#[tokio::test]
async fn it_fails_in_one_direction_alone() {
    let (proxy, mut connection) = echo().await;
    exchange(&mut connection, b"hello").await.unwrap();
    let begin = Instant::now();
    let stalling = proxy.stall_one_way(Direction::ToClient, SHORT);
    let (answer, ()) = tokio::join!(exchange(&mut connection, b"late"), stalling);
    assert_eq!(answer.unwrap(), b"late");
    assert!(begin.elapsed() >= SHORT);

    // The server reads the end, sends nothing more and closes; what it said before has come.
    let mut half = connect(&proxy).await;
    exchange(&mut half, b"hello").await.unwrap();
    proxy.half_close(Direction::ToServer);
    let end = timeout(20 * SHORT, half.read(&mut [0; 1])).await.unwrap();
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");

    // What the server sends is lost.
    let (proxy, mut connection) = echo().await;
    exchange(&mut connection, b"hello").await.unwrap();
    proxy.swallow_one_way(Direction::ToClient);
    let lost = timeout(SHORT, exchange(&mut connection, b"lost")).await;
    assert!(lost.is_err(), "{lost:?}");
    let mut next = connect(&proxy).await;
    assert_eq!(exchange(&mut next, b"again").await.unwrap(), b"again");
}

#[tokio::test]
async fn a_throttled_connection_is_slow_and_whole() {
    let (proxy, mut connection) = echo().await;
    exchange(&mut connection, b"hello").await.unwrap();
    let text: Vec<u8> = (0..=255).collect();
    let begin = Instant::now();
    let (answer, ()) = tokio::join!(
        exchange(&mut connection, &text),
        proxy.throttle(1000, 5 * SHORT)
    );
    assert_eq!(answer.unwrap(), text);
    assert!(begin.elapsed() >= Duration::from_millis(200));
}
