//! Divides the network of a voice where its frames become sound.
//!
//! In: a Piper voice, ONNX. Out: two networks with the weights of one, from phonemes to frames and from frames to
//! samples; nothing where it is built otherwise. A Piper voice is a VITS (Kim, Kong and Son 2021): a sentence is
//! needed as a whole up to its frames, but the decoder behind them (HiFi-GAN) looks only a few frames around each
//! one, and takes four fifths of the time. Field numbers are those of onnx.proto3.
//! Pure: no I/O, no clock.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use prost::Message;

#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(int64, tag = "1")]
    ir_version: i64,
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
    #[prost(bytes = "bytes", repeated, tag = "8")]
    opset_import: Vec<Bytes>,
    /// Nodes of its own, which voices do not have.
    #[prost(bytes = "bytes", repeated, tag = "25")]
    functions: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct Graph {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    node: Vec<Bytes>,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(bytes = "bytes", repeated, tag = "5")]
    initializer: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "11")]
    input: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "12")]
    output: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "13")]
    value_info: Vec<Bytes>,
    /// Weights that voices do not have.
    #[prost(bytes = "bytes", repeated, tag = "15")]
    sparse_initializer: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "4")]
    op_type: String,
}

/// The name of a weight.
#[derive(Clone, PartialEq, Message)]
struct TensorName {
    #[prost(string, tag = "8")]
    name: String,
}

/// The name of an input or output.
#[derive(Clone, PartialEq, Message)]
struct ValueName {
    #[prost(string, tag = "1")]
    name: String,
}

/// Both halves of a voice, ready for ONNX Runtime.
#[derive(Debug)]
pub(super) struct DividedVoice {
    pub(super) encoder: Vec<u8>,
    pub(super) decoder: Vec<u8>,
    /// What the encoder puts out and the decoder takes in.
    pub(super) frames: String,
}

/// Steps from the first transposed convolution back to the convolution in front of it.
const STEPS: usize = 4;

/// Divides `model`.
pub(super) fn divide(model: Bytes) -> Option<DividedVoice> {
    let model = Model::decode(model).ok()?;
    let is_plain = |graph: &&Graph| model.functions.is_empty() && graph.sparse_initializer.is_empty();
    let graph = model.graph.as_ref().filter(is_plain)?;
    let nodes: Vec<Node> =
        graph.node.iter().map(|node| Node::decode(node.clone())).collect::<Result<_, _>>().ok()?;
    let producers: BTreeMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .flat_map(|(at, node)| node.output.iter().map(move |name| (name.as_str(), at)))
        .collect();
    let frames = decoder_input(&nodes, &producers)?;
    let output = ValueName::decode(graph.output.first()?.clone()).ok()?.name;
    let value = find(&graph.value_info, |value: &ValueName| value.name == frames)?;

    let encoding = needed(&nodes, &producers, frames, None);
    let decoding = needed(&nodes, &producers, &output, Some(frames));
    let encoder = part(&model, &nodes, &encoding, (graph.input.clone(), vec![value.clone()]));
    let inputs = graph.input.iter().cloned().chain([value]).collect();
    let decoder = part(&model, &nodes, &decoding, (inputs, graph.output.clone()));
    Some(DividedVoice { encoder, decoder, frames: frames.to_owned() })
}

/// What goes into the decoder: its first layer is the convolution in front of the first transposed one.
fn decoder_input<'n>(nodes: &'n [Node], producers: &BTreeMap<&str, usize>) -> Option<&'n str> {
    let mut node = nodes.iter().find(|node| node.op_type == "ConvTranspose")?;
    for _ in 0..STEPS {
        node = &nodes[*producers.get(node.input.first()?.as_str())?];
        if node.op_type == "Conv" {
            return node.input.first().map(String::as_str);
        }
    }
    None
}

/// Returns the nodes that `output` needs, without those that only `given` needs.
fn needed(
    nodes: &[Node],
    producers: &BTreeMap<&str, usize>,
    output: &str,
    given: Option<&str>,
) -> BTreeSet<usize> {
    let (mut found, mut names) = (BTreeSet::new(), vec![output]);
    while let Some(name) = names.pop() {
        if Some(name) == given {
            continue;
        }
        if let Some(at) = producers.get(name)
            && found.insert(*at)
        {
            names.extend(nodes[*at].input.iter().map(String::as_str));
        }
    }
    found
}

/// A network of some nodes, with the weights and inputs they use.
fn part(
    model: &Model,
    nodes: &[Node],
    chosen: &BTreeSet<usize>,
    (input, output): (Vec<Bytes>, Vec<Bytes>),
) -> Vec<u8> {
    let Some(graph) = &model.graph else { return Vec::new() };
    let used: BTreeSet<&str> =
        chosen.iter().flat_map(|at| nodes[*at].input.iter().map(String::as_str)).collect();
    let is_used = |value: &ValueName| used.contains(value.name.as_str());
    let is_weight = |tensor: &TensorName| used.contains(tensor.name.as_str());
    let graph = Graph {
        node: chosen.iter().map(|at| graph.node[*at].clone()).collect(),
        name: graph.name.clone(),
        initializer: filter(&graph.initializer, is_weight),
        input: filter(&input, is_used),
        output,
        value_info: Vec::new(),
        sparse_initializer: Vec::new(),
    };
    Model { graph: Some(graph), ..model.clone() }.encode_to_vec()
}

fn find<T: Message + Default>(all: &[Bytes], is_it: impl Fn(&T) -> bool) -> Option<Bytes> {
    all.iter().find(|bytes| T::decode((*bytes).clone()).is_ok_and(|value| is_it(&value))).cloned()
}

fn filter<T: Message + Default>(all: &[Bytes], is_wanted: impl Fn(&T) -> bool) -> Vec<Bytes> {
    all.iter()
        .filter(|bytes| T::decode((*bytes).clone()).is_ok_and(|value| is_wanted(&value)))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::files;

    fn node(op_type: &str, input: &[&str], output: &str) -> Bytes {
        let input = input.iter().map(|name| (*name).to_owned()).collect();
        Node { input, output: vec![output.to_owned()], op_type: op_type.into() }.encode_to_vec().into()
    }

    fn value(name: &str) -> Bytes {
        ValueName { name: name.into() }.encode_to_vec().into()
    }

    /// A voice of several speakers in small, without weights that matter.
    fn small(decoder: [&str; 2]) -> Bytes {
        let weight = |name: &str| Bytes::from(TensorName { name: name.into() }.encode_to_vec());
        let graph = Graph {
            node: vec![
                node("Gather", &["emb", "sid"], "speaker"),
                node("Add", &["input", "speaker"], "hidden"),
                node("Mul", &["hidden", "scales"], "z"),
                node(decoder[0], &["z", "pre"], "early"),
                node("Add", &["early", "speaker"], "told"),
                node("LeakyRelu", &["told"], "bent"),
                node(decoder[1], &["bent", "up"], "wide"),
                node("Tanh", &["wide"], "output"),
            ],
            name: "voice".into(),
            initializer: ["emb", "pre", "up"].map(weight).into(),
            input: ["input", "scales", "sid"].map(value).into(),
            output: vec![value("output")],
            value_info: ["hidden", "z"].map(value).into(),
            sparse_initializer: Vec::new(),
        };
        let opset = Bytes::from_static(b"\x10\x0f");
        Model { ir_version: 8, graph: Some(graph), opset_import: vec![opset], functions: Vec::new() }
            .encode_to_vec()
            .into()
    }

    /// Returns the kinds of nodes, and the names of weights, inputs and outputs.
    fn names(part: &[u8]) -> [Vec<String>; 4] {
        let model = Model::decode(part).unwrap();
        assert_eq!((model.ir_version, model.opset_import.len()), (8, 1));
        let graph = model.graph.unwrap();
        let named = |all: Vec<Bytes>| all.into_iter().map(|b| ValueName::decode(b).unwrap().name).collect();
        [
            graph.node.into_iter().map(|b| Node::decode(b).unwrap().op_type).collect(),
            graph.initializer.into_iter().map(|b| TensorName::decode(b).unwrap().name).collect(),
            named(graph.input),
            named(graph.output),
        ]
    }

    #[test]
    fn each_half_has_the_nodes_weights_and_inputs_it_needs_also_where_a_speaker_is_chosen() {
        let DividedVoice { encoder, decoder, frames } = divide(small(["Conv", "ConvTranspose"])).unwrap();
        assert_eq!(frames, "z");
        assert_eq!(
            names(&encoder).map(|names| names.join(" ")),
            ["Gather Add Mul", "emb", "input scales sid", "z"]
        );
        assert_eq!(
            names(&decoder).map(|names| names.join(" ")),
            ["Gather Conv Add LeakyRelu ConvTranspose Tanh", "emb pre up", "sid z", "output"]
        );
    }

    #[test]
    fn a_network_that_is_built_otherwise_stays_whole() {
        for other in
            [small(["Conv", "Conv"]), small(["MatMul", "ConvTranspose"]), "no network".into(), "".into()]
        {
            assert!(divide(other).is_none());
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_break_who_divides_a_voice(
            bytes in joi_base::testing::damaged(&small(["Conv", "ConvTranspose"])),
        ) {
            for half in divide(bytes.into()).into_iter().flat_map(|divided| [divided.encoder, divided.decoder]) {
                prop_assert!(Model::decode(&*half).is_ok(), "what is handed on can be read");
            }
        }
    }

    #[test]
    fn the_real_voice_has_most_of_its_weights_in_front_of_the_frames() {
        let model = Bytes::from(std::fs::read(files().model).unwrap());
        let whole = model.len();
        let DividedVoice { encoder, decoder, .. } = divide(model).unwrap();
        assert!(encoder.len() > 4 * decoder.len() && decoder.len() > 1_000_000);
        assert!(encoder.len() + decoder.len() < whole + whole / 50, "no weight is in both");
    }
}
