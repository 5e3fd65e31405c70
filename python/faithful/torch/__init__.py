"""The encodings of the catalog as modules of PyTorch, with the numbers of the C++ library.

    position = faithful.torch.encoding("dft", length=80, dim=256)
    h = position(h)                                              # [B, 80, 256], codes added
    position = faithful.torch.encoding("alibi", length=80, heads=8)
    out = faithful.torch.attention(q, k, v, position)            # [B, H, S, d_h]

Tables are buffers that state_dict leaves out (they follow from the arguments), learned numbers are parameters; no forward
pass writes to either. All modules take the dtype and the device of what they are given.
"""
try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError("faithful.torch needs PyTorch: pip install torch", name=error.name) from error

from .. import _core
from .._options import text
from . import _encodings
from ._attend import attention
from ._attention import Bias, InAttention, LogitBias, Turned, WeightBias
from ._base import MODULES, Position
from ._input import Added, FromSignal, Sum
from ._layer import TransformerEncoderLayer
from ._model import Classifier

globals().update({found.__name__: found for found in MODULES.values()})  # Alibi, Concatenated, Erpe, ..

__all__ = ["Added", "Alibi", "Bias", "Classifier", "Concatenated", "Conditional", "Deberta", "DynamicBias", "DynamicWavelet",
           "Erpe", "Fire", "Fope", "FourierFeatures", "FromSignal", "InAttention", "Kerple", "LearnedFrequency",
           "LearnedTable", "LogitBias", "Nothing", "Pope", "Position", "Rotary", "Shaw", "Sinusoids",
           "SpectralLearned", "Stochastic", "Sum", "T5", "TapeErpe", "Temporal", "TransformerEncoderLayer",
           "TransformerXL", "Tupe", "Turned", "WeightBias", "attention", "encoding"]


def encoding(name, length, dim=None, *, dtype=None, device=None, **options):
    """The module of the encoding of that name. length: the most positions it will see; dim and options as faithful.encode
    takes them, and for rope pairing ("interleaved" or "halves")."""
    name = _core.encoding_name(text("name", name))
    return MODULES.get(name, Added)(name, length, dim, dtype=dtype, device=device, **options)
