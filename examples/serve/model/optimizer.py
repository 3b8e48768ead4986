# SPDX-License-Identifier: ISC
"""Muon for the square-ish matrices (momentum, then the nearest orthogonal matrix), AdamW for the rest."""

import torch


def orthogonal(matrices):
    """Newton-Schulz towards U V^T of each matrix in a stack; five quintic steps are near enough."""
    a, b, c = 3.4445, -4.7750, 2.0315
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.transpose(-1, -2) if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.transpose(-1, -2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.transpose(-1, -2) if tall else x


class Muon(torch.optim.Optimizer):
    def __init__(self, parameters, lr, momentum=0.95, weight_decay=0.0):
        super().__init__(list(parameters), dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            same_shape = {}
            for p in group["params"]:
                velocity = self.state[p].setdefault("velocity", torch.zeros_like(p))
                velocity.lerp_(p.grad, 1 - group["momentum"])
                same_shape.setdefault(p.shape, []).append((p, p.grad.lerp(velocity, group["momentum"])))
            for shape, pairs in same_shape.items():
                updates = orthogonal(torch.stack([g for _, g in pairs]))
                scale = max(1.0, shape[0] / shape[1]) ** 0.5
                for (p, _), update in zip(pairs, updates):
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                    p.add_(update, alpha=-group["lr"] * scale)
