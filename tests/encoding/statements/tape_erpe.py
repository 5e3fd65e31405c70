from . import erpe, tape


class Encoding(tape.Encoding, erpe.Encoding):
    """Both encodings of ConvTran: the table of tape, the weights of erpe."""

    NAME = "tape+erpe"
    CASE = dict(layers=2)
    CASES = {"tape+erpe_token": dict(pooling="token", length=7, segment=2)}

    def table(self, length, dim, heads=8, rho=1e4):
        return super().table(length, dim, rho)
