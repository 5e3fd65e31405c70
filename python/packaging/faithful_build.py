"""The build backend of pyproject.toml: scikit-build-core, and what it does not do. A source distribution gets the third-party sources
that it needs, and ninja says how many seconds a build has taken so far (`pip install -v`)."""
import os

from scikit_build_core.build import *  # noqa: F403
from scikit_build_core import build as _build

import third_party

os.environ.setdefault("NINJA_STATUS", "[%f of %t, %e s] ")


def build_sdist(sdist_directory, config_settings=None):
    with third_party.gathered():
        return _build.build_sdist(sdist_directory, config_settings)
