# SPDX-License-Identifier: ISC
"""Writes weights.bin (weights.hpp describes the format) and the reference the C++ test compares with."""

import struct

import torch

MAGIC = b"xtclm\0\0\0"
VERSION = 1
HEADER = struct.Struct("<8sIIIIIIIIIff4xQQ")
ENTRY = struct.Struct("<32sIIQQ")
ALIGNMENT = 64


def _tensors(network):
    yield "embedding", network.embedding.weight
    for i, block in enumerate(network.blocks):
        yield f"layer{i}.attention_norm", block.attention_norm.gain
        yield f"layer{i}.attention_in", block.attention_in.weight.t()
        yield f"layer{i}.attention_out", block.attention_out.weight.t()
        yield f"layer{i}.feed_norm", block.feed_norm.gain
        yield f"layer{i}.feed_in", block.feed_in.weight.t()
        yield f"layer{i}.feed_out", block.feed_out.weight.t()
    yield "final_norm", network.final_norm.gain
    yield "readout", network.readout.weight.t()


def _align(offset):
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _fnv1a(data):
    value = 0xcbf29ce484222325
    for (word,) in struct.iter_unpack("<Q", data):
        value = (value ^ word) * 0x100000001b3 % 2**64
    return value


def write(path, network):
    shape = network.shape
    tensors = [(name, value.detach().contiguous()) for name, value in _tensors(network)]
    offset = _align(HEADER.size + len(tensors) * ENTRY.size)
    first = offset
    table, data = b"", bytearray()
    for name, value in tensors:
        rows, columns = value.shape if value.ndim == 2 else (1, value.shape[0])
        raw = value.numpy().astype("<f4").tobytes()
        table += ENTRY.pack(name.encode("ascii"), rows, columns, 0, offset)
        data += raw + bytes(_align(len(raw)) - len(raw))
        offset = first + len(data)
    body = (table + bytes(first - HEADER.size - len(table))) + bytes(data)
    sizes = (shape.vocabulary, shape.context, shape.width, shape.layers, shape.heads, shape.shared_heads,
             shape.hidden)
    header = HEADER.pack(MAGIC, VERSION, len(tensors), *sizes, shape.rope_base, shape.norm_epsilon, offset,
                         _fnv1a(body))
    with open(path, "wb") as file:
        file.write(header + body)


def _lines(kind, values, per_line):
    values = list(values)
    for i in range(0, len(values), per_line):
        yield " ".join([kind] + values[i:i + per_line]) + "\n"


@torch.no_grad()
def write_reference(path, network, prompt, greedy):
    """The prompt, its greedy continuation, and the logits after every 8th prompt token."""
    logits = network(torch.tensor([list(prompt)]))[0]
    with open(path, "w") as file:
        file.write("# SPDX-License-Identifier: ISC\n")
        file.write("# What torch computes with weights.bin; written by examples/serve/model/train.py.\n")
        file.writelines(_lines("prompt", map(str, prompt), 16))
        file.writelines(_lines("greedy", map(str, greedy(network, prompt, 64)), 16))
        for position in range(7, len(prompt), 8):
            values = (f"{value:.6g}" for value in logits[position].tolist())
            file.writelines(_lines(f"logits {position}", values, 8))
