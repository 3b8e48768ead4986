# SPDX-License-Identifier: ISC
"""The network as torch sees it. model.cpp computes the same thing; weights_format.py carries it over."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 256
    context: int = 1024
    width: int = 192
    layers: int = 4
    heads: int = 3
    shared_heads: int = 1  # heads of keys and values; each serves heads / shared_heads query heads
    hidden: int = 768
    rope_base: float = 10000.0
    norm_epsilon: float = 1e-5


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.epsilon) * self.gain


class Attention(torch.autograd.Function):
    """By hand, because torch's own softmax gradient takes a third of a training step on one thread."""

    @staticmethod
    def forward(ctx, query, key, value, mask):
        share = torch.bmm(query, key.transpose(1, 2)).add_(mask).softmax(-1)
        ctx.save_for_backward(query, key, value, share)
        return torch.bmm(share, value)

    @staticmethod
    def backward(ctx, gradient):
        query, key, value, share = ctx.saved_tensors
        scores = torch.bmm(gradient, value.transpose(1, 2)).mul_(share)
        scores.addcmul_(share, scores.sum(-1, keepdim=True), value=-1)
        return (torch.bmm(scores, key), torch.bmm(scores.transpose(1, 2), query),
                torch.bmm(share.transpose(1, 2), gradient), None)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        head_width = shape.width // shape.heads
        self.attention_norm = Norm(shape.width, shape.norm_epsilon)
        packed_width = (shape.heads + 2 * shape.shared_heads) * head_width
        self.attention_in = nn.Linear(shape.width, packed_width, bias=False)
        self.attention_out = nn.Linear(shape.width, shape.width, bias=False)
        self.feed_norm = Norm(shape.width, shape.norm_epsilon)
        self.feed_in = nn.Linear(shape.width, shape.hidden, bias=False)
        self.feed_out = nn.Linear(shape.hidden, shape.width, bias=False)

    def forward(self, x, cosine, sine, mask):
        x = x + self.attention_out(self.attention(self.attention_norm(x), cosine, sine, mask))
        return x + self.feed_out(F.relu(self.feed_in(self.feed_norm(x))).square())

    def attention(self, x, cosine, sine, mask):
        batch, time, width = x.shape
        heads, shared = self.shape.heads, self.shape.shared_heads
        head_width = width // heads
        packed = self.attention_in(x).view(batch, time, -1, head_width).transpose(1, 2)
        query, key, value = packed.split((heads, shared, shared), 1)
        query = rotate(query * head_width ** -0.5, cosine, sine)
        # The query heads that share a key head stand one below the other: one product for all of them.
        query = query.reshape(batch * shared, heads // shared * time, head_width)
        key = rotate(key, cosine, sine).reshape(batch * shared, time, head_width)
        value = value.reshape(batch * shared, time, head_width)
        mixed = Attention.apply(query, key, value, mask.repeat(heads // shared, 1))
        return mixed.view(batch, heads, time, head_width).transpose(1, 2).reshape(batch, time, width)


def rotate(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, first * sine + second * cosine), -1)


class Network(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.final_norm = Norm(shape.width, shape.norm_epsilon)
        self.readout = nn.Linear(shape.width, shape.vocabulary, bias=False)
        self._initialise()
        half = shape.width // shape.heads // 2
        frequency = shape.rope_base ** (-torch.arange(half, dtype=torch.float64) / half)
        angle = torch.arange(shape.context, dtype=torch.float64)[:, None] * frequency
        self.register_buffer("cosine", angle.cos().float(), persistent=False)
        self.register_buffer("sine", angle.sin().float(), persistent=False)

    def _initialise(self):
        nn.init.normal_(self.embedding.weight, std=0.5)
        nn.init.zeros_(self.readout.weight)
        for block in self.blocks:
            # A block that adds nothing at first lets a short training use a high rate.
            nn.init.zeros_(block.attention_out.weight)
            nn.init.zeros_(block.feed_out.weight)

    def forward(self, tokens):
        batch, time = tokens.shape
        mask = torch.full((time, time), float("-inf")).triu(1)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, self.cosine[:time], self.sine[:time], mask)
        return self.readout(self.final_norm(x))
