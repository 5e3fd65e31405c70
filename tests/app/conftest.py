"""`@pytest.mark.unsanitized("why")`: left out where the program is built with sanitizers (the stage asan)."""
import pytest

from program import SANITIZED


def pytest_configure(config):
    config.addinivalue_line("markers", "unsanitized(why): not run where the program is built with sanitizers")


def pytest_collection_modifyitems(items):
    for item in items:
        mark = item.get_closest_marker("unsanitized")
        if SANITIZED and mark:
            item.add_marker(pytest.mark.skip(reason=f"with sanitizers: {mark.args[0]}"))
