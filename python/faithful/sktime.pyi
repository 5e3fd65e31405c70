from typing import Any

from sktime.classification.base import BaseClassifier

__all__: list[str]

class TimeSeriesTransformerClassifier(BaseClassifier):
    def __init__(self, *args: Any, **params: Any) -> None: ...
