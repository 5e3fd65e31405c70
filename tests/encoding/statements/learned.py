from . import Statement


class Encoding(Statement):
    def declare(self, m):
        m.weight("encoding.table", m.steps, m.c.width)

    def codes(self, m, t):
        return m.p["encoding.table"]
