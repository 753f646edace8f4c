//! Converts a CTranslate2 whisper model to the ggml file that whisper.cpp loads, byte for byte as
//! whisper.cpp's own tools would from the same weights.
//!
//! In: `model.bin` and the text of `vocabulary.txt`. Out: a ggml file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::ct2::{Ct2Model, Ct2Tensor, input};
use super::error::ConvertError;
use super::ggml::{self, TensorEncoding};
use super::{mel, vocabulary};
use crate::manifest::Quantisation;

/// Converts the CTranslate2 model at `model` with the text of its `vocabulary.txt` into a ggml file
/// at `out`, which is overwritten.
pub(super) fn convert(
    model: &Path,
    vocabulary: &str,
    to: Quantisation,
    out: &Path,
) -> Result<(), ConvertError> {
    let checkpoint = Ct2Model::open(model)?;
    let mut writer = GgmlWriter { from: checkpoint, to, out: BufWriter::new(File::create(out)?) };
    writer.head(vocabulary)?;
    writer.stems()?;
    for side in [Side::Encoder, Side::Decoder] {
        for layer in 0..writer.layers(side) {
            writer.block(side, layer)?;
        }
    }
    writer.out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Encoder,
    Decoder,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Encoder => "encoder",
            Self::Decoder => "decoder",
        }
    }
}

struct GgmlWriter {
    from: Ct2Model,
    to: Quantisation,
    out: BufWriter<File>,
}

impl GgmlWriter {
    fn layers(&self, side: Side) -> usize {
        let exists = |n: &usize| self.from.has(&format!("{}/layer_{n}/ffn/linear_0/weight", side.name()));
        (0..1000).take_while(exists).count()
    }

    fn head(&mut self, vocabulary: &str) -> Result<(), ConvertError> {
        let embeddings = self.from.tensor("decoder/embeddings/weight")?.matrix()?;
        let audio = self.from.tensor("encoder/position_encodings/encodings")?.matrix()?;
        let text = self.from.tensor("decoder/position_encodings/encodings")?.matrix()?;
        let stem = self.from.tensor("encoder/conv1/weight")?.dims.clone();
        let [width, mels, _] = stem[..] else {
            return Err(input("encoder/conv1/weight is not three-dimensional"));
        };
        let (audio_heads, text_heads) =
            (self.from.scalar("encoder/num_heads")?, self.from.scalar("decoder/num_heads")?);
        let numbers = [
            ggml::MAGIC,
            embeddings.0,
            audio.0,
            width,
            audio_heads,
            self.layers(Side::Encoder) as u32,
            text.0,
            width,
            text_heads,
            self.layers(Side::Decoder) as u32,
            mels,
            ggml::versioned_file_type(self.to),
        ];
        ggml::numbers(&mut self.out, &numbers)?;
        ggml::numbers(&mut self.out, &[mels, mel::BINS as u32])?;
        for weight in mel::filters(mels as usize) {
            self.out.write_all(&weight.to_le_bytes())?;
        }
        let tokens = vocabulary::tokens(vocabulary)?;
        ggml::numbers(&mut self.out, &[tokens.len() as u32])?;
        for token in tokens {
            ggml::numbers(&mut self.out, &[token.len() as u32])?;
            self.out.write_all(&token)?;
        }
        Ok(())
    }

    /// Everything before and after the layers.
    fn stems(&mut self) -> Result<(), ConvertError> {
        for n in 1..=2 {
            self.whole(
                &format!("encoder/conv{n}/weight"),
                &format!("encoder.conv{n}.weight"),
                TensorEncoding::F16,
            )?;
            let mut bias = self.from.tensor(&format!("encoder/conv{n}/bias"))?;
            bias.dims.push(1);
            self.put(&bias, &format!("encoder.conv{n}.bias"), TensorEncoding::F32)?;
        }
        let positions = "position_encodings/encodings";
        self.whole(&format!("encoder/{positions}"), "encoder.positional_embedding", TensorEncoding::F32)?;
        self.norm("encoder/layer_norm", "encoder.ln_post")?;
        self.whole(&format!("decoder/{positions}"), "decoder.positional_embedding", TensorEncoding::F32)?;
        let matrix = ggml::matrix_form(self.to);
        self.whole("decoder/embeddings/weight", "decoder.token_embedding.weight", matrix)?;
        self.norm("decoder/layer_norm", "decoder.ln")
    }

    fn block(&mut self, side: Side, layer: usize) -> Result<(), ConvertError> {
        let from = format!("{}/layer_{layer}", side.name());
        let to = format!("{}.blocks.{layer}", side.name());
        self.norm(&format!("{from}/self_attention/layer_norm"), &format!("{to}.attn_ln"))?;
        let attention = format!("{from}/self_attention");
        self.split(&format!("{attention}/linear_0"), &format!("{to}.attn"), &["query", "key", "value"])?;
        self.linear(&format!("{attention}/linear_1"), &format!("{to}.attn.out"))?;
        if side == Side::Decoder {
            let attention = format!("{from}/attention");
            self.norm(&format!("{attention}/layer_norm"), &format!("{to}.cross_attn_ln"))?;
            self.split(&format!("{attention}/linear_0"), &format!("{to}.cross_attn"), &["query"])?;
            self.split(&format!("{attention}/linear_1"), &format!("{to}.cross_attn"), &["key", "value"])?;
            self.linear(&format!("{attention}/linear_2"), &format!("{to}.cross_attn.out"))?;
        }
        self.norm(&format!("{from}/ffn/layer_norm"), &format!("{to}.mlp_ln"))?;
        self.linear(&format!("{from}/ffn/linear_0"), &format!("{to}.mlp.0"))?;
        self.linear(&format!("{from}/ffn/linear_1"), &format!("{to}.mlp.2"))
    }

    fn norm(&mut self, from: &str, to: &str) -> Result<(), ConvertError> {
        self.whole(&format!("{from}/gamma"), &format!("{to}.weight"), TensorEncoding::F32)?;
        self.whole(&format!("{from}/beta"), &format!("{to}.bias"), TensorEncoding::F32)
    }

    fn linear(&mut self, from: &str, to: &str) -> Result<(), ConvertError> {
        let matrix = ggml::matrix_form(self.to);
        self.whole(&format!("{from}/weight"), &format!("{to}.weight"), matrix)?;
        self.whole(&format!("{from}/bias"), &format!("{to}.bias"), TensorEncoding::F32)
    }

    /// CTranslate2 stacks the projections of an attention; ggml has them apart, keys without a bias.
    fn split(&mut self, from: &str, to: &str, parts: &[&str]) -> Result<(), ConvertError> {
        let weight = self.from.tensor(&format!("{from}/weight"))?;
        let bias = self.from.tensor(&format!("{from}/bias"))?;
        for (n, part) in parts.iter().enumerate() {
            let matrix = ggml::matrix_form(self.to);
            self.put(&weight.slice(n, parts.len())?, &format!("{to}.{part}.weight"), matrix)?;
            let bias = bias.slice(n, parts.len())?;
            if *part != "key" {
                self.put(&bias, &format!("{to}.{part}.bias"), TensorEncoding::F32)?;
            } else if !self.from.is_zero(&bias)? {
                return Err(input(format!("{from} has a bias on its keys")));
            }
        }
        Ok(())
    }

    fn whole(&mut self, from: &str, to: &str, form: TensorEncoding) -> Result<(), ConvertError> {
        let tensor = self.from.tensor(from)?;
        self.put(&tensor, to, form)
    }

    fn put(&mut self, tensor: &Ct2Tensor, name: &str, form: TensorEncoding) -> Result<(), ConvertError> {
        ggml::tensor_head(&mut self.out, name, &tensor.dims, form)?;
        let out = &mut self.out;
        self.from.each(tensor, |values| ggml::values(out, values, form))
    }
}
