"""Every encoding of the catalog as a module of PyTorch, with the numbers of the C++ library.

    position = faithful.torch.encoding("dft", length=80, dim=256)
    h = position(h)                                              # [B, 80, 256], codes added
    position = faithful.torch.encoding("alibi", length=80, heads=8)
    out = faithful.torch.attention(q, k, v, position)            # [B, H, S, d_h]

Tables are buffers that state_dict leaves out (they follow from the arguments), learned numbers are parameters; no forward
pass writes to either. All modules take the dtype and the device of what they are given.
"""
from ._attention import Alibi, Erpe, Kerple, LogitBias, Rotary, Shaw, T5, Tupe, WeightBias, attention
from ._base import Position
from ._input import Added, Concatenated, LearnedFrequency, LearnedTable, Nothing

__all__ = ["Added", "Alibi", "Concatenated", "Erpe", "Kerple", "LearnedFrequency", "LearnedTable", "LogitBias", "Nothing",
           "Position", "Rotary", "Shaw", "T5", "Tupe", "WeightBias", "attention", "encoding"]

_CLASSES = {
    "none": Nothing, "sinusoidal": Added, "dft": Added, "tape": Added, "onehot": Added, "haar": Added,
    "learned": LearnedTable, "learned-frequency": LearnedFrequency, "mtan": Concatenated, "time2vec": Concatenated,
    "rope": Rotary, "shaw": Shaw, "t5": T5, "tupe": Tupe, "alibi": Alibi, "kerple": Kerple, "erpe": Erpe,
}


def encoding(name, length, dim=None, *, dtype=None, device=None, **options):
    """The module of the encoding of that name. length: the most positions it will see; dim and options as faithful.encode
    takes them, and for rope pairing ("interleaved" or "halves")."""
    if name not in _CLASSES:
        from .. import encode
        encode(name, length, dim)  # says which names there are
    return _CLASSES[name](name, length, dim, dtype=dtype, device=device, **options)
