from . import time2vec


class Encoding(time2vec.Encoding):
    """The form of time2vec; with mtan = attention, queries and keys are projections of the features alone."""

    def declare(self, m):
        super().declare(m)
        self.replaces_queries = m.c.mtan == "attention"

    def declare_layer(self, m, name):
        if self.replaces_queries:
            m.affine(name + "time", 2 * m.c.heads * m.head_width, m.c.time_dim)

    def beside(self, m, t):
        return None if self.replaces_queries else super().beside(m, t)

    def queries_and_keys(self, m, name, t, q, k):
        """Where they come from time, q gives the size only."""
        if not self.replaces_queries:
            return q, k
        features = super().beside(m, t).expand(len(q), q.shape[2], -1)
        return tuple(m.heads_of(x) for x in m.apply(name + "time", features).chunk(2, -1))
