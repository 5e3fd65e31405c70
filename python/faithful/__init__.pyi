from . import data as data, fourier as fourier, torch as torch
from ._analysis import Analysis as Analysis, analyze as analyze
from ._diagnosis import Alarm as Alarm, Diagnosis as Diagnosis, diagnose as diagnose
from ._evaluation import Evaluation as Evaluation, evaluate as evaluate
from ._model import Model as Model, Predictions as Predictions, fit as fit, load_model as load_model, predict as predict
from ._study import Choice as Choice, Comparison as Comparison, choose as choose, compare as compare
from ._classifier import TimeSeriesTransformer as TimeSeriesTransformer
from ._encoding import (
    CatalogEntry as CatalogEntry,
    EncodingName as EncodingName,
    decode as decode,
    encode as encode,
    encodings as encodings,
)

__version__: str
__all__: list[str]
