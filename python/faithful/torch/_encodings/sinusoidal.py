from .._base import module_of
from .._input import Waves


@module_of("sinusoidal", "tape")
class Sinusoids(Waves):
    """Sines and cosines of a geometric series of frequencies; those of tape are multiplied by d / length."""
