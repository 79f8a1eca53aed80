"""Imports what a program is going to import, and nothing of the program itself."""
import importlib
import sys

for name in sys.argv[1:]:
    importlib.import_module(name)
