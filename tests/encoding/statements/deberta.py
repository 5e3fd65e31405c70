from . import Statement, interpolated


class Encoding(Statement):
    """Equations 3 and 4 of He et al. 2020: content to content, content to position, position to content."""

    CASE = dict(layers=2)
    CASES = {"deberta_token": dict(pooling="token", clip=3, head_width=3),
             "deberta_times": dict(positions="time", pooling="token")}
    content_share = 1 / 3

    def declare(self, m):
        m.weight("encoding.positions", 2 * m.c.clip + 1, m.c.width)

    def declare_layer(self, m, name):
        m.weight(name + "relative_key.weight", m.c.heads * m.head_width, m.c.width)
        m.weight(name + "relative_query.weight", m.c.heads * m.head_width, m.c.width)

    def queries_and_keys(self, m, name, t, q, k):
        self.key = k
        return q, k

    def key_terms(self, m, name, q, offsets):
        def vectors(weight, delta):
            """[.., H, S, S, d_h]: of the distance delta, clipped."""
            rows = m.p["encoding.positions"] @ m.p[name + weight].T
            return interpolated(rows, delta).unflatten(-1, (m.c.heads, -1)).movedim(-2, -4)
        to_position = (q[..., None, :] * vectors("relative_key.weight", -offsets)).sum(-1)
        to_content = (self.key[..., None, :, :] * vectors("relative_query.weight", offsets)).sum(-1)
        return to_position + to_content
