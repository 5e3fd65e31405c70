import torch

from . import D64, Statement


def waves(offsets, width, rho):
    """[.., width rounded up to even]: cosine and sine of each frequency at the offset."""
    n = (width + 1) // 2
    angle = offsets[..., None] * rho ** (-torch.arange(n, dtype=D64) / n)
    return torch.stack([torch.cos(angle), torch.sin(angle)], -1).flatten(-2)


class Encoding(Statement):
    """The four terms of Dai et al. 2019, section 3.3; u and v are shared by all layers."""

    CASE = dict(layers=2)
    CASES = {"transformer-xl_token": dict(pooling="token", rho=100, width=6),
             "transformer-xl_times": dict(positions="time", rho=100, layers=2),
             "transformer-xl_times_token": dict(positions="time", pooling="token", width=7, heads=1)}

    def declare(self, m):
        inner = m.c.heads * m.head_width
        m.weight("encoding.content", inner)
        m.weight("encoding.position", inner)

    def declare_layer(self, m, name):
        m.weight(name + "relative.weight", m.c.heads * m.head_width, 2 * ((m.c.width + 1) // 2))

    def vector(self, m, name):
        return m.p[name].reshape(m.c.heads, 1, m.head_width)

    def queries_and_keys(self, m, name, t, q, k):
        self.query = q
        return q + self.vector(m, "encoding.content"), k

    def key_terms(self, m, name, q, offsets):
        weight = m.p[name + "relative.weight"].reshape(m.c.heads, m.head_width, -1)
        relative = torch.einsum("...ijw,hdw->...hijd", waves(offsets, m.c.width, m.c.rho), weight)
        return ((self.query + self.vector(m, "encoding.position"))[..., None, :] * relative).sum(-1)
