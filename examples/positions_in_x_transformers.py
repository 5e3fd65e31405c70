"""Faithful's encodings in a model of x-transformers. Run the cells (`# %%`) one by one, or the whole file."""
# %% A Transformer over a series of three sensors.
from typing import Any

import torch
from torch import Tensor, nn
from x_transformers import ContinuousTransformerWrapper, Encoder

import faithful.torch

torch.manual_seed(1)
x = torch.randn(2, 50, 3)
mask = torch.arange(50) < torch.tensor([[50], [30]])  # the second series has 30 steps


def model_of(**options: Any) -> Any:
    layers = Encoder(dim=32, depth=2, heads=4, attn_dim_head=8)
    return ContinuousTransformerWrapper(dim_in=3, dim_out=2, max_seq_len=50, attn_layers=layers, **options).eval()


# %% An encoding of the input takes the place of `pos_emb`, whose codes the model adds.
class Codes(nn.Module):
    def __init__(self, position: Any) -> None:
        super().__init__()
        self.position = position

    def forward(self, x: Tensor, pos: Tensor | None = None, **_: Any) -> Tensor:
        codes: Tensor = self.position.codes(x.shape[1], positions=pos)
        return codes


model = model_of()
model.pos_emb = Codes(faithful.torch.encoding("dft", length=50, dim=32, period=50))
print("dft", model(x, mask=mask).shape)


# %% A logit bias takes the place of `rel_pos`. The model asks it for i queries, the last of j keys.
class Bias(nn.Module):
    def __init__(self, position: Any) -> None:
        super().__init__()
        self.position = position

    def forward(self, i: int, j: int) -> Tensor:
        bias: Tensor = self.position(i, j, offset=j - i, key_offset=0)
        return bias


for name in ("alibi", "kerple", "fire", "t5"):
    model = model_of(use_abs_pos_emb=False)
    model.attn_layers.rel_pos = Bias(faithful.torch.encoding(name, length=50, dim=32, heads=4))
    out = model(x, mask=mask)
    print(name, out.shape)

    # Padding changes nothing, and order matters.
    other = x.clone()
    other[1, 30:] = 7
    assert torch.allclose(model(other, mask=mask)[1, :30], out[1, :30], atol=1e-5)
    order = torch.randperm(50)
    assert not torch.allclose(model(x)[:, order], model(x[:, order]), atol=1e-4)
