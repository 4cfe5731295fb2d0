#!/usr/bin/env python3
"""Writes tiny models with random weights, one of each kind of memory, for the tests of that memory.

  make-tiny-models.py FOLDER

What they write is noise, but it depends on everything they have read, and it is the same each time: the weights come
from a fixed seed. The matrices are Q8_0, as those of small models usually are, because that is computed in the same way
however many rows there are.

  tiny-llama.gguf    attention over everything
  tiny-gemma3.gguf   attention over 16 positions in every other layer
  tiny-lfm2.gguf     attention and convolutions with a state, in turns
  tiny-mamba.gguf    a state and nothing else
"""

import os
import sys

import gguf
import numpy

WIDTH = 64
HEADS = 4
HEAD_WIDTH = WIDTH // HEADS
INNER = 2 * WIDTH
CONTEXT = 16384
WINDOW = 16
CONTROL = ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]

CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def vocabulary():
    """The pieces of a SentencePiece vocabulary with their types: control tokens, bytes, characters and a few words."""
    characters = ["\u2581"] + [chr(code) for code in range(0x21, 0x7F)]
    words = ["\u2581" + word for word in "the and of to in is was you that it for on are with as be at one".split()]
    return (
        [("<unk>", gguf.TokenType.UNKNOWN)]
        + [(name, gguf.TokenType.CONTROL) for name in CONTROL]
        + [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
        + [(piece, gguf.TokenType.NORMAL) for piece in characters + words]
    )


class Model:
    """A GGUF file that is being written."""

    def __init__(self, path, architecture, layers):
        self.path, self.architecture, self.layers = path, architecture, layers
        self.random = numpy.random.default_rng(sum(architecture.encode()))
        self.writer = gguf.GGUFWriter(path + ".part", architecture, use_temp_file=False)
        self.writer.add_string("general.name", "tiny " + architecture)
        self.writer.add_uint32("general.file_type", 7)
        self.integers(context_length=CONTEXT, embedding_length=WIDTH, block_count=layers, feed_forward_length=INNER)
        self.float("attention.layer_norm_rms_epsilon", 1e-5)
        self.add_vocabulary()

    def integers(self, **values):
        """Numbers of the architecture; a double underscore in a name is a dot in the file."""
        for name, value in values.items():
            self.writer.add_uint32(f"{self.architecture}.{name.replace('__', '.')}", value)

    def float(self, name, value):
        self.writer.add_float32(f"{self.architecture}.{name}", value)

    def add_vocabulary(self):
        pieces = vocabulary()
        self.vocabulary_size = len(pieces)
        self.writer.add_string("tokenizer.ggml.model", "llama")
        self.writer.add_array("tokenizer.ggml.tokens", [piece for piece, _ in pieces])
        # A word is preferred to its characters.
        self.writer.add_array("tokenizer.ggml.scores", [float(len(piece)) for piece, _ in pieces])
        self.writer.add_array("tokenizer.ggml.token_type", [int(kind) for _, kind in pieces])
        for name, token in [("unknown", 0), ("bos", 1), ("eos", 2)]:
            self.writer.add_uint32(f"tokenizer.ggml.{name}_token_id", token)
        self.writer.add_bool("tokenizer.ggml.add_bos_token", True)
        self.writer.add_bool("tokenizer.ggml.add_space_prefix", False)
        self.writer.add_string("tokenizer.chat_template", CHAT_TEMPLATE)

    def plain(self, name, values):
        self.writer.add_tensor(name, numpy.ascontiguousarray(values, dtype=numpy.float32))

    def norm(self, name, width=WIDTH):
        self.plain(name + ".weight", 1 + 0.1 * self.random.standard_normal(width))

    def matrix(self, name, inputs, outputs, scale=1.0, silent=0):
        """A matrix that keeps the size of a vector about as it is, as Q8_0: blocks of a half and 32 bytes. Its first
        `silent` outputs are always 0."""
        values = self.random.standard_normal((outputs, inputs)) * scale / inputs**0.5
        values[:silent] = 0
        blocks = values.reshape(-1, 32)
        steps = (numpy.abs(blocks).max(axis=1, keepdims=True) / 127).astype("<f2")
        whole = numpy.rint(blocks / numpy.maximum(steps, 1e-6)).clip(-127, 127).astype(numpy.int8)
        data = numpy.concatenate([steps.view(numpy.uint8), whole.view(numpy.uint8)], axis=1)
        self.writer.add_tensor(
            name + ".weight", data, raw_shape=(outputs, inputs), raw_dtype=gguf.GGMLQuantizationType.Q8_0
        )

    def ends(self, last_norm, scale=1.0):
        """What stands before and behind the layers. An output of its own: else a model repeats what it reads. Control
        tokens and bytes are never likely: texts are as long as a test wants them, and of printable characters."""
        self.matrix("token_embd", WIDTH, self.vocabulary_size, scale=scale * WIDTH**0.5)
        self.norm(last_norm)
        self.matrix("output", WIDTH, self.vocabulary_size, scale=4, silent=1 + len(CONTROL) + 256)

    def attention(self, layer, norms):
        """Queries are long, so that a head looks at few positions."""
        prefix = f"blk.{layer}."
        self.norm(prefix + "attn_norm")
        self.matrix(prefix + "attn_q", WIDTH, WIDTH, scale=3)
        self.matrix(prefix + "attn_k", WIDTH, WIDTH // 2)
        self.matrix(prefix + "attn_v", WIDTH, WIDTH // 2, scale=2)
        self.matrix(prefix + "attn_output", WIDTH, WIDTH, scale=2)
        for name in norms:
            self.norm(prefix + name, HEAD_WIDTH)

    def feed_forward(self, layer):
        prefix = f"blk.{layer}."
        self.norm(prefix + "ffn_norm")
        self.matrix(prefix + "ffn_gate", WIDTH, INNER)
        self.matrix(prefix + "ffn_up", WIDTH, INNER)
        self.matrix(prefix + "ffn_down", INNER, WIDTH)

    def finish(self):
        """The file appears whole: tests of another process may be reading the one before."""
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()
        os.replace(self.path + ".part", self.path)


def llama(model):
    model.integers(attention__head_count=HEADS, attention__head_count_kv=HEADS // 2, rope__dimension_count=HEAD_WIDTH)
    model.ends("output_norm")
    for layer in range(model.layers):
        model.attention(layer, [])
        model.feed_forward(layer)


def gemma3(model):
    model.integers(attention__head_count=HEADS, attention__head_count_kv=HEADS // 2)
    model.integers(attention__key_length=HEAD_WIDTH, attention__value_length=HEAD_WIDTH)
    model.integers(attention__sliding_window=WINDOW, attention__sliding_window_pattern=2)
    # This architecture enlarges what stands before the layers.
    model.ends("output_norm", scale=WIDTH**-0.5)
    for layer in range(model.layers):
        model.attention(layer, ["attn_q_norm", "attn_k_norm"])
        model.norm(f"blk.{layer}.post_attention_norm")
        model.feed_forward(layer)
        model.norm(f"blk.{layer}.post_ffw_norm")


def lfm2(model):
    """A layer without heads for keys is a convolution."""
    key_heads = [0 if layer % 2 == 0 else HEADS // 2 for layer in range(model.layers)]
    model.integers(attention__head_count=HEADS, shortconv__l_cache=4)
    model.writer.add_array("lfm2.attention.head_count_kv", key_heads)
    model.float("rope.freq_base", 10_000.0)
    model.ends("token_embd_norm")
    for layer, heads in enumerate(key_heads):
        if heads > 0:
            model.attention(layer, ["attn_q_norm", "attn_k_norm"])
        else:
            convolution(model, f"blk.{layer}.")
        model.feed_forward(layer)


def convolution(model, prefix):
    model.norm(prefix + "attn_norm")
    model.plain(prefix + "shortconv.conv.weight", model.random.standard_normal((WIDTH, 4)) / 2)
    model.matrix(prefix + "shortconv.in_proj", WIDTH, 3 * WIDTH)
    model.matrix(prefix + "shortconv.out_proj", WIDTH, WIDTH, scale=2)


def mamba(model):
    state, rank, kernel = 16, 32, 4
    model.integers(ssm__conv_kernel=kernel, ssm__inner_size=INNER, ssm__state_size=state, ssm__time_step_rank=rank)
    model.integers(attention__head_count=0)
    model.ends("output_norm")
    for layer in range(model.layers):
        prefix = f"blk.{layer}."
        model.norm(prefix + "attn_norm")
        model.matrix(prefix + "ssm_in", WIDTH, 2 * INNER)
        model.plain(prefix + "ssm_conv1d.weight", model.random.standard_normal((INNER, kernel)) / 2)
        model.plain(prefix + "ssm_conv1d.bias", 0.1 * model.random.standard_normal(INNER))
        model.matrix(prefix + "ssm_x", INNER, rank + 2 * state, scale=2)
        model.matrix(prefix + "ssm_dt", rank, INNER)
        # Slow decay, so that what was read long ago still counts.
        model.plain(prefix + "ssm_dt.bias", -4 + model.random.random(INNER))
        model.plain(prefix + "ssm_a", -model.random.uniform(0.05, 1, (INNER, state)))
        model.plain(prefix + "ssm_d", numpy.ones(INNER))
        model.matrix(prefix + "ssm_out", INNER, WIDTH, scale=4)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for build in (llama, gemma3, lfm2, mamba):
        name = build.__name__
        model = Model(os.path.join(folder, f"tiny-{name}.gguf"), name, layers=4)
        build(model)
        model.finish()


main()
