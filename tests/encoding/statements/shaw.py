import torch

from . import Statement


class Encoding(Statement):
    CASE = dict(layers=2)

    def declare_layer(self, m, name):
        m.weight(name + "relative_keys", 2 * m.c.clip + 1, m.head_width)
        m.weight(name + "relative_values", 2 * m.c.clip + 1, m.head_width)

    def key_terms(self, m, name, q, offsets):
        return torch.einsum("bhid,ijd->bhij", q, m.p[name + "relative_keys"][self.clipped(m, offsets)])

    def value_terms(self, m, name, weights, offsets):
        return torch.einsum("bhij,ijd->bhid", weights, m.p[name + "relative_values"][self.clipped(m, offsets)])

    def clipped(self, m, offsets):
        return offsets.clamp(-m.c.clip, m.c.clip) + m.c.clip
