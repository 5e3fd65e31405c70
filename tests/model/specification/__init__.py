"""Inference in NumPy, float64, written from docs/model.md and docs/encodings.md alone. Nothing here knows the library: what these pages leave
open, nobody can write. tests/app/test_specification.py compares it with `faithful predict`.

| module | what it has |
|---|---|
| file.py | the model file: safetensors, metadata, digest |
| windows.py | windows of a series, scaled, and the times of their samples |
| steps.py | mean of samples, differences, convolutions, segments |
| random_numbers.py | Philox, for the two encodings that are random |
| codes.py, spectral.py, signal_codes.py | encodings that enter the input |
| attention.py | the attention of a layer, and its base without encoding |
| rotary.py, relative.py, biases.py | encodings that enter attention |
| catalog.py | all encodings by name |
| encoder.py, dfstrans.py | the two forms of the Transformer |
| kernels.py | random convolutions |
| predictors.py | the kinds of predictors: Transformer, linear model, kernels, ensemble |
"""
