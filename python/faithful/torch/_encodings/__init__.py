"""One file for each encoding that is more than a fixed table added to the input. All of them are imported here."""
import importlib
import pkgutil

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")
