from . import data as data, fourier as fourier, torch as torch
from ._analysis import Analysis as Analysis, analyze as analyze
from ._classifier import TimeSeriesTransformer as TimeSeriesTransformer
from ._encoding import CatalogEntry as CatalogEntry, decode as decode, encode as encode, encodings as encodings

__version__: str
__all__: list[str]
