//! The text of a PDF, read by a process of its own with limits of memory and time.
//!
//! The parent is `joi memory add`, on its main thread; the child is the hidden command `joi read-pdf`: a PDF on stdin,
//! its text on stdout behind a mark (the library prints now and then). A PDF is a program in a foreign language: the
//! reader may crash, never end, or fill the memory, and each of these becomes one sentence. The parent holds no more
//! of the text than it takes.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Resource, Rlimit, setrlimit};

/// Address space of the child, in bytes.
const MEMORY: u64 = 1_500_000_000;
/// CPU time of the child, in seconds.
const CPU_SECONDS: u64 = 60;
/// How long the child may take in all.
const PATIENCE: Duration = Duration::from_secs(120);
/// Most text that is taken, in bytes.
const MOST_TEXT: u64 = 20_000_000;
/// Between two looks at the child.
const PAUSE: Duration = Duration::from_millis(10);
/// Stands in front of the text.
const MARK: &[u8] = b"\0text of the document\0";

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

/// The text of a PDF.
pub(super) fn text(bytes: Vec<u8>) -> anyhow::Result<String> {
    let mut reader = Command::new(std::env::current_exe().context("can't find out where this program is")?);
    reader.arg("read-pdf");
    read_by(reader, bytes, PATIENCE)
}

/// The child's side: limits itself, reads, writes.
pub(in crate::cli) fn read_for_parent() -> anyhow::Result<ExitCode> {
    limit_this_process(MEMORY, CPU_SECONDS)?;
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let text = pdf_extract::extract_text_from_mem(&bytes)?;
    let mut out = std::io::stdout().lock();
    out.write_all(MARK)?;
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn limit_this_process(memory: u64, cpu_seconds: u64) -> anyhow::Result<()> {
    let most = |limit: u64| Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::As, most(memory))?;
    setrlimit(Resource::Core, most(0))?;
    // The first limit is told by a signal of its own, the second kills.
    let cpu = Rlimit { current: Some(cpu_seconds), maximum: Some(cpu_seconds + 1) };
    setrlimit(Resource::Cpu, cpu)?;
    Ok(())
}

fn read_by(mut reader: Command, bytes: Vec<u8>, patience: Duration) -> anyhow::Result<String> {
    reader.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = reader.spawn().context("the reader of PDF can't be started")?;
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    let feeding = std::thread::spawn(move || {
        // A reader that ends early says why by its status.
        let _ = input.as_mut().map(|input| input.write_all(&bytes));
    });
    let reading = std::thread::spawn(move || {
        let mut text = Vec::new();
        let most = MOST_TEXT + MARK.len() as u64;
        output.map(|output| output.take(most + 1).read_to_end(&mut text)).transpose().map(|_| text)
    });
    let ended = end_of(&mut child, patience);
    let _ = feeding.join();
    let text = reading.join().map_err(|_| anyhow::anyhow!("reading its text was given up"))?;
    let Some(status) = ended? else { anyhow::bail!("reading it takes longer than {} s", patience.as_secs()) };
    let text = text.context("its text can't be taken")?;
    anyhow::ensure!(text.len() as u64 <= MOST_TEXT, "it has more than {} MB of text", MOST_TEXT / 1_000_000);
    judge(status)?;
    let start = text.windows(MARK.len()).position(|window| window == MARK);
    let start = start.context("its text is missing")? + MARK.len();
    Ok(String::from_utf8_lossy(&text[start..]).into_owned())
}

/// Why there is no text, in one sentence.
fn judge(status: ExitStatus) -> anyhow::Result<()> {
    match (status.success(), status.signal()) {
        (true, _) => Ok(()),
        (false, Some(SIGXCPU | SIGKILL)) => {
            anyhow::bail!("reading it takes more than {CPU_SECONDS} s of computing")
        }
        (false, Some(SIGABRT)) => {
            anyhow::bail!("reading it takes more than {} MB of memory", MEMORY / 1_000_000)
        }
        (false, _) => anyhow::bail!("its structure is damaged"),
    }
}

/// How the child ended; nothing when it had to be ended.
fn end_of(child: &mut Child, patience: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which misbehaviour a child of the tests shows.
    const VARIABLE: &str = "JOI_TEST_OF_PDF_READER";

    /// Runs this very test binary as the child.
    fn child(behaviour: &str, patience: Duration) -> String {
        match child_with(behaviour, b"%PDF-1.4", patience) {
            Ok(text) => text,
            Err(error) => format!("{error:#}"),
        }
    }

    fn child_with(behaviour: &str, pdf: &[u8], patience: Duration) -> anyhow::Result<String> {
        let mut reader = Command::new(std::env::current_exe().unwrap());
        reader.args(["--exact", "--nocapture", "cli::memory::document::pdf::tests::a_child"]);
        reader.env(VARIABLE, behaviour);
        read_by(reader, pdf.to_vec(), patience)
    }

    /// A page with two words on it.
    fn pdf() -> Vec<u8> {
        let page = "BT /F1 12 Tf 72 720 Td (red valve) Tj ET";
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
            format!("<< /Length {} >>\nstream\n{page}\nendstream", page.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        ];
        let mut file = "%PDF-1.4\n".to_owned();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (at, object) in objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", file.len());
            file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
        }
        let start = file.len();
        file += &format!(
            "{table}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        );
        file.into_bytes()
    }

    #[test]
    fn the_words_of_a_page_are_read() {
        let text = child_with("reads", &pdf(), Duration::from_secs(60)).unwrap();
        assert!(text.contains("red valve"), "{text:?}");
    }

    proptest::proptest! {
        // A process for each.
        #![proptest_config(few())]
        #[test]
        fn foreign_bytes_never_break_who_has_a_pdf_read(bytes in crate::testing::damaged(&pdf())) {
            if let Err(error) = child_with("reads", &bytes, Duration::from_secs(60)) {
                proptest::prop_assert!(error.to_string().len() < 100, "{error:#}");
            }
        }
    }

    fn few() -> proptest::test_runner::Config {
        let usual = proptest::test_runner::Config::default();
        proptest::test_runner::Config { cases: usual.cases.div_ceil(16), ..usual }
    }

    /// Does nothing by itself: the other test starts it as the child.
    #[test]
    fn a_child() {
        match std::env::var(VARIABLE).as_deref() {
            Ok("memory") => {
                limit_this_process(MEMORY, CPU_SECONDS).unwrap();
                std::hint::black_box(vec![1_u8; 2 * MEMORY as usize]);
            }
            Ok("time") => {
                limit_this_process(MEMORY, 1).unwrap();
                while std::hint::black_box(true) {}
            }
            Ok("hangs") => std::thread::sleep(Duration::from_secs(3600)),
            Ok("panics") => panic!("as a parser may"),
            Ok("reads") => drop(read_for_parent()),
            _ => {}
        }
    }

    #[test]
    fn a_reader_that_misbehaves_becomes_one_sentence() {
        let long = Duration::from_secs(60);
        assert_eq!(child("memory", long), "reading it takes more than 1500 MB of memory");
        assert_eq!(child("time", long), "reading it takes more than 60 s of computing");
        assert_eq!(child("hangs", Duration::from_millis(300)), "reading it takes longer than 0 s");
        assert_eq!(child("panics", long), "its structure is damaged");
        assert_eq!(child("nothing", long), "its text is missing");
    }
}
