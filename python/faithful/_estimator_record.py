"""What a model file says about the estimator that made it, so that load() gives the same settings and classes back."""
from __future__ import annotations

import numpy as np

from . import _core
from ._estimator_settings import MODEL, TRAIN
from ._labels import classes_from_json, classes_to_json, label_from_json, label_to_json

NAME = "estimator"  # in the record of the file
_NOT_KEPT = ("n_jobs", "verbose")  # the result does not depend on them
_RECORDED = {"learning_rate": "rate", "clip_norm": "clip"}  # names of options that are others in the record


def to_record(params, seed, classes, columns, names):
    """seed: what random_state gave. columns: of a table, else None. names: of the columns, or None."""
    kept = {name: _plain(value) for name, value in params.items() if name not in _NOT_KEPT}
    if isinstance(params["class_weight"], dict):
        kept["class_weight"] = [[label_to_json(label), float(weight)] for label, weight in params["class_weight"].items()]
    return {"params": {**kept, "random_state": seed}, "classes": classes_to_json(classes), "columns": columns,
            "feature_names": None if names is None else list(names)}


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def from_record(said):
    """(params, classes, columns, feature names)"""
    params = dict(said["params"])
    if isinstance(params["class_weight"], list):
        params["class_weight"] = {label_from_json(label): weight for label, weight in params["class_weight"]}
    return params, classes_from_json(said["classes"]), said["columns"], said["feature_names"]


def from_program(said):
    """The params that repeat a training of the program: `said` is all that its file says."""
    record, form = said["record"], said["config"].get("form", "encoder")
    training = record["training"]
    other = "encoder" if form == "dfstrans" else "dfstrans"
    params = {name: said["config"].get(name, one["default"]) for name, one in MODEL.items() if one["applies_to"] != other}
    params.update({name: training.get(_RECORDED.get(name, name), one["default"]) for name, one in TRAIN.items()})
    presets = ["dfstrans"] if form == "dfstrans" else [one for one in _core.presets() if one != "dfstrans"]
    floor = {name: _core.train_preset(name)["floor"] for name in presets}  # the one option that is the preset's alone
    params["preset"] = next((name for name in presets if floor[name] == training["floor"]), presets[-1])
    best = said["threshold"]["from"] == "best F1 on validation"
    return {**params, "scaler": record["scaler"], "scaling": said["scaler"]["scaling"], "random_state": training["seed"],
            "validation": _validation(record["split"]), "threshold": "validation" if best else said["threshold"]["value"]}


def _validation(split):
    """None where the estimator has no such split; the program's own test part is no part of X."""
    if split["kind"] == "given":
        return split["folds"] if split["folds"] > 1 else None
    whole = split["kind"] == "series" and abs(split["train"] + split["validation"] - 1) < 1e-9
    return split["validation"] or None if whole else None


def without_arrays(attributes):
    """What a pickle of the estimator holds. Arrays of NumPy 2 in a pickle cannot be read by NumPy before 1.26."""
    state = dict(attributes)
    if "classes_" in state:
        state.update(classes_=classes_to_json(state["classes_"]), _order=state["_order"].tolist())
    if "feature_names_in_" in state:
        state["feature_names_in_"] = state["feature_names_in_"].tolist()
    return state


def with_arrays(state):
    attributes = dict(state)
    if isinstance(state.get("classes_"), dict):  # an array in pickles of earlier versions
        attributes.update(classes_=classes_from_json(state["classes_"]), _order=np.array(state["_order"]))
    if "feature_names_in_" in state:
        attributes["feature_names_in_"] = np.array(state["feature_names_in_"], dtype=object)
    return attributes
