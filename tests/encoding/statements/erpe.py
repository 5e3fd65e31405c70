from . import Statement


class Encoding(Statement):
    CASE = dict(layers=2)

    def declare_layer(self, m, name):
        rows = m.steps + m.token
        m.weight(name + "offset_weights", m.c.heads, 2 * rows - 1)

    def weights(self, m, name, offsets):
        return m.p[name + "offset_weights"][:, offsets + len(offsets) - 1]
