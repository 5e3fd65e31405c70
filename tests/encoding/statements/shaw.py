from . import Statement, interpolated


class Encoding(Statement):
    CASE = dict(layers=2)
    CASES = {"shaw_times": dict(positions="time", pooling="token", layers=2)}

    def declare_layer(self, m, name):
        m.weight(name + "relative_keys", 2 * m.c.clip + 1, m.head_width)
        m.weight(name + "relative_values", 2 * m.c.clip + 1, m.head_width)

    def key_terms(self, m, name, q, offsets):
        return (q[..., None, :] * interpolated(m.p[name + "relative_keys"], offsets).unsqueeze(-4)).sum(-1)

    def value_terms(self, m, name, weights, offsets):
        return (weights[..., None] * interpolated(m.p[name + "relative_values"], offsets).unsqueeze(-4)).sum(-2)
