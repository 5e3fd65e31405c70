from . import Statement, interpolated


class Encoding(Statement):
    CASE = dict(layers=2)
    CASES = {"erpe_times": dict(positions="time", layers=2), "erpe_times_token": dict(positions="time", pooling="token")}

    def declare_layer(self, m, name):
        rows = m.steps + m.token
        m.weight(name + "offset_weights", m.c.heads, 2 * rows - 1)

    def weights(self, m, name, offsets):
        return interpolated(m.p[name + "offset_weights"].T, offsets).movedim(-1, -3)
