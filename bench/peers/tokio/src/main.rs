// SPDX-License-Identifier: ISC
//! `spawn` and `echo` on tokio's current-thread runtime.
use std::cell::Cell;
use std::collections::HashMap;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

thread_local! {
    static RAN: Cell<u64> = Cell::new(0);
    static SUM: Cell<u64> = Cell::new(0);
}

async fn life() {
    RAN.with(|ran| {
        SUM.with(|sum| sum.set(sum.get() + ran.get()));
        ran.set(ran.get() + 1);
    });
}

async fn live(work: u64, at_a_time: u64) {
    let mut handles: Vec<JoinHandle<()>> = Vec::with_capacity(at_a_time as usize);
    let mut done = 0;
    while done < work {
        let n = at_a_time.min(work - done);
        for _ in 0..n {
            handles.push(tokio::spawn(life()));
        }
        for handle in handles.drain(..) {
            handle.await.unwrap();
        }
        done += n;
    }
}

async fn spawn(variant: &str, work: u64) {
    let at_a_time = if variant == "one" { 1 } else { 10_000 };
    live(work / 10 + at_a_time, at_a_time).await;
    RAN.with(|c| c.set(0));
    SUM.with(|c| c.set(0));
    let start = Instant::now();
    live(work, at_a_time).await;
    let took = start.elapsed().as_nanos() as f64;
    let (ran, sum) = (RAN.with(Cell::get), SUM.with(Cell::get));
    println!(
        "{{\"name\":\"spawn\",\"side\":\"tokio\",\"variant\":\"{}\",\"value\":{},\"unit\":\"ns\",\"work\":{},\"checksum\":\"{}\",\"also\":{{}}}}",
        variant, took / ran as f64, ran, sum
    );
}

async fn echo() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("port {}", listener.local_addr().unwrap().port());
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let mut buffer = vec![0u8; 4096];
            while let Ok(n) = stream.read(&mut buffer).await {
                if n == 0 || stream.write_all(&buffer[..n]).await.is_err() {
                    break;
                }
            }
        });
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let opts: HashMap<&str, &str> =
        args[2..].chunks(2).map(|kv| (kv[0].trim_start_matches("--"), kv[1].as_str())).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match args[1].as_str() {
        "spawn" => {
            let work = opts.get("work").map_or(1_000_000, |w| w.parse().unwrap());
            runtime.block_on(spawn(opts.get("variant").copied().unwrap_or("one"), work));
        }
        "echo" => runtime.block_on(echo()),
        other => panic!("unknown benchmark {other}"),
    }
}
