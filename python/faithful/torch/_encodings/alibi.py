from .._attention import LogitBias
from .._base import module_of


@module_of("alibi")
class Alibi(LogitBias):
    """-m_h |i - j| with fixed slopes m_h."""

    def _values(self):
        return {"slopes": -self.table(length=2, positions=None)[:, 0, 1], "at": self.positions()}

    def bias(self, steps):
        return -self.slopes[:, None, None] * self.distances(steps)
