"""A model like ConvTran (Foumani et al. 2024, doi:10.1007/s10618-023-00948-2), written from the paper's description.

Stem: a convolution along time for each channel, then one across all channels ("disjoint"). One layer of attention over
all samples, with tAPE added to its input and eRPE added to its weights. Mean over time, linear classifier. Sizes and
training are the paper's: width 16, 8 heads, feed-forward 256, batch 16, learning rate 1e-3, 100 epochs. What is ours:
a fifth of TRAIN validates (stratified), and the weights of the epoch with the least validation loss are kept.
"""
import copy
import math

import numpy
import torch
from torch import nn

WIDTH, HEADS, HIDDEN, KERNEL, DROPOUT = 16, 8, 256, 8, 0.01
EPOCHS, BATCH, RATE = 100, 16, 1e-3


def tape(length, width):
    """Sinusoids whose frequencies are stretched by width / length. [T, D]"""
    position = torch.arange(length, dtype=torch.float32)[:, None]
    frequency = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
    angle = position * frequency * (width / length)
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=2).reshape(length, width)


class RelativeAttention(nn.Module):
    """Attention with a learned weight for every head and offset, added after the softmax (eRPE)."""

    def __init__(self, length):
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.offset_weight = nn.Parameter(torch.zeros(HEADS, 2 * length - 1))
        place = torch.arange(length)
        self.register_buffer("offset", place[:, None] - place[None, :] + length - 1)  # [T, T]
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x):  # [B, T, D]
        batch, length, _ = x.shape
        q, k, v = self.project(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weight = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH), dim=-1)  # [B, H, T, T]
        weight = weight + self.offset_weight[:, self.offset]
        return self.norm((weight @ v).transpose(1, 2).reshape(batch, length, WIDTH))


class ConvTranLike(nn.Module):
    def __init__(self, channels, length, classes):
        super().__init__()
        self.along_time = nn.Sequential(nn.Conv2d(1, 4 * WIDTH, (1, KERNEL), padding="same"),
                                        nn.BatchNorm2d(4 * WIDTH), nn.GELU())
        self.across_channels = nn.Sequential(nn.Conv2d(4 * WIDTH, WIDTH, (channels, 1)),
                                             nn.BatchNorm2d(WIDTH), nn.GELU())
        self.register_buffer("code", tape(length, WIDTH))
        self.attention = RelativeAttention(length)
        self.norm_attention, self.norm_out = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT),
                                          nn.Linear(HIDDEN, WIDTH), nn.Dropout(DROPOUT))
        self.classify = nn.Linear(WIDTH, classes)

    def forward(self, x):  # [B, C, T]
        x = self.across_channels(self.along_time(x[:, None])).squeeze(2).transpose(1, 2)  # [B, T, D]
        x = self.norm_attention(x + self.attention(x + self.code))
        x = self.norm_out(x + self.feed_forward(x))
        return self.classify(x.mean(dim=1))


def held_out_fifth(labels, seed):
    """A fifth of each class of at least two, chosen at random."""
    draw = numpy.random.default_rng(seed)
    chosen = numpy.zeros(len(labels), dtype=bool)
    for name in numpy.unique(labels):
        members = draw.permutation(numpy.flatnonzero(labels == name))
        chosen[members[:0 if len(members) < 2 else max(1, round(len(members) / 5))]] = True
    return chosen


class Classifier:
    """fit(x [n, C, T], y [n]), probabilities(x); y are numbers of classes."""

    def __init__(self, classes, seed):
        self.classes, self.seed = classes, seed

    def _scaled(self, x):
        return torch.from_numpy(((x - self.mean) / self.deviation).astype(numpy.float32))

    def fit(self, x, y, epochs=EPOCHS):
        torch.manual_seed(self.seed)
        self.mean = x.mean(axis=(0, 2), keepdims=True)
        self.deviation = x.std(axis=(0, 2), keepdims=True) + 1e-8
        held = held_out_fifth(y, self.seed)
        x, y = self._scaled(x), torch.from_numpy(y)
        train_x, train_y, held_x, held_y = x[~held], y[~held], x[held], y[held]
        self.model = ConvTranLike(x.shape[1], x.shape[2], self.classes)
        optimizer = torch.optim.RAdam(self.model.parameters(), lr=RATE)
        least, best = math.inf, None
        for _ in range(epochs):
            self.model.train()
            for chosen in torch.randperm(len(train_y)).split(BATCH):
                if len(chosen) == 1:  # batch norm needs two
                    continue
                optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(train_x[chosen]), train_y[chosen]).backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 4.0)
                optimizer.step()
            loss = nn.functional.cross_entropy(self._scores(held_x), held_y).item()
            if loss < least:
                least, best = loss, copy.deepcopy(self.model.state_dict())
        self.model.load_state_dict(best)

    def _scores(self, x):
        self.model.eval()
        with torch.no_grad():
            return torch.cat([self.model(part) for part in x.split(64)])

    def probabilities(self, x):
        return torch.softmax(self._scores(self._scaled(x)), dim=1).numpy()
