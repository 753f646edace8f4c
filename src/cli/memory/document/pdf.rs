//! The text of a PDF, read by a process of its own with limits of memory and time.
//!
//! The parent is `joi memory add`, on its main thread; the child is the hidden command `joi read-pdf`: a PDF on stdin,
//! its text on stdout. Whatever the reader does, the parent gets text or one sentence.

use std::io::Read;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::Context;

use joi_base::confined::{self, ReaderLimits};

const LIMITS: ReaderLimits = ReaderLimits {
    memory: 1_500_000_000,
    cpu_seconds: 60,
    patience: Duration::from_secs(120),
    most: 20_000_000,
};

/// Returns the text of a PDF.
pub(super) fn text(bytes: Vec<u8>) -> anyhow::Result<String> {
    let mut reader = Command::new(std::env::current_exe().context("can't find out where this program is")?);
    reader.arg("read-pdf");
    read_by(reader, bytes)
}

/// The child's side: limits itself, reads, writes.
pub(in crate::cli) fn read_for_parent() -> anyhow::Result<ExitCode> {
    confined::limit_this_process(&LIMITS)?;
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    confined::hand_over(pdf_extract::extract_text_from_mem(&bytes)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn read_by(reader: Command, bytes: Vec<u8>) -> anyhow::Result<String> {
    let text = confined::read_by(reader, bytes, &LIMITS)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set in a child of the tests.
    const VARIABLE: &str = "JOI_TEST_OF_PDF_READER";

    /// Runs this very test binary as the child.
    fn child(pdf: &[u8]) -> anyhow::Result<String> {
        let mut reader = Command::new(std::env::current_exe().unwrap());
        reader.args(["--exact", "--nocapture", "cli::memory::document::pdf::tests::a_child"]);
        reader.env(VARIABLE, "reads");
        read_by(reader, pdf.to_vec())
    }

    /// Returns a page with two words on it.
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
        let text = child(&pdf()).unwrap();
        assert!(text.contains("red valve"), "{text:?}");
    }

    proptest::proptest! {
        // A process for each.
        #![proptest_config(few())]
        #[test]
        fn foreign_bytes_never_break_who_has_a_pdf_read(bytes in joi_base::testing::damaged(&pdf())) {
            if let Err(error) = child(&bytes) {
                proptest::prop_assert!(error.to_string().len() < 100, "{error:#}");
            }
        }
    }

    fn few() -> proptest::test_runner::Config {
        let usual = proptest::test_runner::Config::default();
        proptest::test_runner::Config { cases: usual.cases.div_ceil(16), ..usual }
    }

    /// Does nothing by itself: the others start it as the child.
    #[test]
    fn a_child() {
        if std::env::var_os(VARIABLE).is_some() {
            drop(read_for_parent());
        }
    }
}
