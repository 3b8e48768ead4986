# SPDX-License-Identifier: ISC
"""Trains the demo's model on one CPU thread. WEIGHTS.md has the command, the licence and the result.

    apt-get install python3-torch python3-numpy bible-kjv bible-kjv-text
    /usr/bin/python3 examples/serve/model/train.py
"""

import argparse
import os
import time

# Read by OpenBLAS when torch loads it; torch.set_num_threads does not reach it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import torch
import torch.nn.functional as F

import corpus
import weights_format
from network import Network, Shape
from optimizer import Muon

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
# (share of the steps, window): short windows first, because attention over a long one is dear.
WINDOWS = ((0.6, 128), (0.85, 256), (0.95, 512), (1.0, 1024))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--tokens-per-step", type=int, default=2048)
    parser.add_argument("--seed", type=int, default=1611)
    parser.add_argument("--width", type=int, default=Shape.width)
    parser.add_argument("--heads", type=int, default=Shape.heads)
    parser.add_argument("--shared-heads", type=int, default=Shape.shared_heads)
    parser.add_argument("--layers", type=int, default=Shape.layers)
    parser.add_argument("--rate", type=float, default=0.02, help="rate of Muon")
    parser.add_argument("--adam-rate", type=float, default=0.004)
    parser.add_argument("--weights", default=os.path.join(HERE, "weights.bin"))
    parser.add_argument("--reference", default=os.path.join(ROOT, "tests", "examples", "model_reference.txt"))
    return parser.parse_args()


def as_tensor(data):
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).long()


def batch_of(text, window, tokens_per_step):
    starts = torch.randint(len(text) - window - 1, (tokens_per_step // window,))
    rows = text[starts[:, None] + torch.arange(window + 1)]
    return rows[:, :-1], rows[:, 1:]


@torch.no_grad()
def held_out_loss(network, text, window):
    usable = (len(text) - 1) // window * window
    inputs, targets = text[:usable].view(-1, window), text[1:usable + 1].view(-1, window)
    total = 0.0
    for x, y in zip(inputs.split(8), targets.split(8)):
        total += F.cross_entropy(network(x).flatten(0, 1), y.flatten(), reduction="sum").item()
    return total / usable


@torch.no_grad()
def greedy(network, prompt, count):
    tokens = list(prompt)
    for _ in range(count):
        tokens.append(int(network(torch.tensor([tokens]))[0, -1].argmax()))
    return bytes(tokens[len(prompt):])


def train(args, network, text):
    matrices = [p for block in network.blocks for p in block.parameters() if p.ndim == 2]
    chosen = {id(p) for p in matrices}
    others = [p for p in network.parameters() if id(p) not in chosen]
    optimizers = [Muon(matrices, lr=args.rate),
                  torch.optim.AdamW(others, lr=args.adam_rate, betas=(0.9, 0.98), weight_decay=0.0)]
    rates = [o.param_groups[0]["lr"] for o in optimizers]
    began, smooth = time.time(), None
    for step in range(args.steps):
        done = step / args.steps
        window = next(w for share, w in WINDOWS if done < share)
        factor = min(1.0, (step + 1) / 50) * min(1.0, (1 - done) / 0.6)
        for optimizer, rate in zip(optimizers, rates):
            optimizer.param_groups[0]["lr"] = rate * factor
        inputs, targets = batch_of(text, window, args.tokens_per_step)
        loss = F.cross_entropy(network(inputs).flatten(0, 1), targets.flatten())
        network.zero_grad(set_to_none=True)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
        if step % 50 == 49 or step + 1 == args.steps:
            print(f"step {step + 1} of {args.steps}, window {window}, loss {smooth:.4f} nats per byte, "
                  f"{time.time() - began:.0f} s", flush=True)
    return smooth


def main():
    args = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    train_bytes, held_out_bytes, digest = corpus.load()
    print(f"text: {len(train_bytes)} bytes to train on, {len(held_out_bytes)} held out, sha256 {digest}")
    network = Network(Shape(width=args.width, layers=args.layers, heads=args.heads,
                            shared_heads=args.shared_heads, hidden=4 * args.width))
    print(f"parameters: {sum(p.numel() for p in network.parameters())}")
    loss = train(args, network, as_tensor(train_bytes))
    held_out = held_out_loss(network, as_tensor(held_out_bytes), 512)
    print(f"final loss: {loss:.4f} nats per byte in training, {held_out:.4f} on held-out chapters")
    weights_format.write(args.weights, network)
    prompt = b"And it came to pass, that the king said unto "
    weights_format.write_reference(args.reference, network, prompt, greedy)
    for prompt in (b"In the beginning ", b"And the LORD said ", b"The king of France "):
        print(f"greedy: {(prompt + greedy(network, prompt, 200)).decode('latin-1')!r}")


if __name__ == "__main__":
    main()
