import torch.nn.functional as F

from . import Statement


class Encoding(Statement):
    """The generator of Chu et al. 2021 over one axis, at the input: a depthwise convolution with zeros beyond the ends."""

    CASE = dict(cpe_kernel=3)
    CASES = {"cpe_token": dict(cpe_kernel=27, pooling="token", length=7, segment=2),
             "dfstrans_cpe": dict(form="dfstrans", sensor_weights=False, step_weights=True, length=26, segment=9, filters=4, stages=2,
                                  activation="relu", head_hidden=5, classes=2, cpe_kernel=5)}

    def declare(self, m):
        m.weight("encoding.depthwise.weight", m.c.cpe_kernel, m.c.width)

    def codes_of(self, m, h, allowed):
        kernel = m.p["encoding.depthwise.weight"]
        h = (h * allowed[..., None]).transpose(1, 2)
        return F.conv1d(h, kernel.T[:, None], padding=len(kernel) // 2, groups=h.shape[1]).transpose(1, 2)
