"""Position modules in a PyTorch model. Run the cells (`# %%`) one by one, or the whole file."""
# %% A small attention that takes any position module.
import torch
from torch import nn

import faithful.torch


class Layer(nn.Module):
    def __init__(self, dim: int, heads: int, position: faithful.torch.Position | None = None) -> None:
        super().__init__()
        self.heads, self.position = heads, position
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(x).view(*x.shape[:2], 3 * self.heads, -1).transpose(1, 2).chunk(3, dim=1)
        out: torch.Tensor = self.out(faithful.torch.attention(q, k, v, self.position).transpose(1, 2).flatten(2))
        return out


# %% Some encodings are added to the input, others enter attention. The same call builds both.
torch.manual_seed(1)
x = torch.randn(4, 50, 32)
added = nn.Sequential(faithful.torch.encoding("dft", length=50, dim=32, period=50), Layer(32, 4))
rotated = Layer(32, 4, faithful.torch.encoding("rope", length=50, dim=32, heads=4))
biased = Layer(32, 4, faithful.torch.encoding("t5", length=50, heads=4))
for model in (added, rotated, biased):
    print(model(x).shape, sum(p.numel() for p in model.parameters()), "weights")

# %% Without a position, attention does not see the order: a shuffled input gives the shuffled output.
order = torch.randperm(50)
blind = Layer(32, 4)
assert torch.allclose(blind(x)[:, order], blind(x[:, order]), atol=1e-5)
assert not torch.allclose(added(x)[:, order], added(x[:, order]), atol=1e-3)

# %% Tables are not part of the state. A checkpoint holds only learned weights.
print(list(added.state_dict()))
