from typing import Any

from aeon.classification.base import BaseClassifier

__all__: list[str]

class TimeSeriesTransformerClassifier(BaseClassifier):
    def __init__(self, *args: Any, **params: Any) -> None: ...
