"""The encodings of docs/encodings.md by name."""
from . import biases, codes, relative, rotary, signal_codes, spectral
from .attention import Encoding


class TapeErpe(codes.Tape, relative.Erpe):
    """The codes of the one, the weights of the other."""


ENCODINGS = {
    "none": Encoding, "sinusoidal": codes.Sinusoidal, "dft": codes.Dft, "learned": codes.Learned, "tape": codes.Tape,
    "learned-frequency": codes.LearnedFrequency, "fourier-features": codes.FourierFeatures, "t-pe": codes.TPe,
    "onehot": codes.OneHot, "rotation": codes.Rotation, "mtan": codes.Mtan, "time2vec": codes.TimeFeatures,
    "spectral": spectral.Spectral, "spectral-learned": spectral.SpectralLearned, "cpe": signal_codes.Cpe, "dywpe": signal_codes.Dywpe,
    "rope": rotary.Rope, "fope": rotary.Fope, "pope": rotary.Pope, "spe": rotary.Spe, "shaw": relative.Shaw, "deberta": relative.Deberta,
    "transformer-xl": relative.TransformerXl, "erpe": relative.Erpe, "tape+erpe": TapeErpe, "alibi": biases.Alibi, "kerple": biases.Kerple,
    "t5": biases.T5, "tupe": biases.Tupe, "fire": biases.Fire, "dynamic-bias": biases.DynamicBias,
}
