import torch

from . import Statement


class Encoding(Statement):
    CASE = dict(layers=2)
    CASES = {"kerple_times": dict(positions="time", pooling="token"),
             "kerple_dfstrans_times": dict(positions="time", form="dfstrans", sensor_weights=True, step_weights=False, length=26, segment=9,
                                           filters=4, stages=2, activation="relu", head_hidden=5, classes=2)}

    def declare_layer(self, m, name):
        m.weight(name + "log_rates", 2, m.c.heads)

    def bias(self, m, name, offsets):
        r1, r2 = m.p[name + "log_rates"].exp()[:, :, None, None]
        return -r1 * torch.log(1 + r2 * offsets.unsqueeze(-3).abs())
