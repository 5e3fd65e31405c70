"""Faithful's encodings in a model of Hugging Face (transformers 5, random weights). Run the cells, or the whole file."""
# %% A small BERT over the codes of a quantised sensor.
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, BertConfig, BertModel
from transformers.masking_utils import sdpa_mask

import faithful.torch

torch.manual_seed(1)
config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                    max_position_embeddings=50)
tokens = torch.randint(100, (2, 50))
present = (torch.arange(50) < torch.tensor([[50], [30]])).long()  # the second series has 30 steps


# %% An encoding of the input takes the place of BERT's learned table.
class Codes(nn.Module):
    def __init__(self, position: Any) -> None:
        super().__init__()
        self.position = position

    def forward(self, position_ids: Tensor) -> Tensor:
        codes: Tensor = self.position.codes(position_ids.shape[-1], positions=position_ids)
        return codes


model: Any = BertModel(config)
model.train(False)
model.embeddings.position_embeddings = Codes(faithful.torch.encoding("dft", length=50, dim=32, period=50))
print("dft", model(tokens, attention_mask=present).last_hidden_state.shape)


# %% An encoding inside of attention: each layer gets a module of its own, and the model an attention that asks it.
def attend(layer: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, dropout: float = 0.0,
           **_: Any) -> tuple[Tensor, None]:
    out = faithful.torch.attention(query, key, value, layer.position, attention_mask, dropout=dropout,
                                   offset=key.shape[-2] - query.shape[-2], key_offset=0)
    return out.transpose(1, 2), None


class Nothing(nn.Module):
    def forward(self, position_ids: Tensor) -> Tensor:
        return torch.zeros(())


AttentionInterface.register("faithful", attend)
AttentionMaskInterface.register("faithful", sdpa_mask)  # boolean masks
for name in ("rope", "t5", "erpe", "tupe"):
    model = BertModel(config)
    model.train(False)
    model.embeddings.position_embeddings = Nothing()
    for layer in model.encoder.layer:
        layer.attention.self.position = faithful.torch.encoding(name, length=50, dim=32, heads=4)
    model.set_attn_implementation("faithful")
    out = model(tokens, attention_mask=present).last_hidden_state
    print(name, out.shape)

    # Padding changes nothing, and order matters.
    other = tokens.clone()
    other[1, 30:] = 7
    assert torch.allclose(model(other, attention_mask=present).last_hidden_state[1, :30], out[1, :30], atol=1e-5)
    turned = model(tokens.flip(1)).last_hidden_state.flip(1)
    assert name == "erpe" or not torch.allclose(turned, model(tokens).last_hidden_state, atol=1e-6)  # erpe starts at 0
