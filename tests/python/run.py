#!/usr/bin/env python3
"""Runs the unittest cases of one file:  run.py NAME FILE.

Exit code 0: all passed, 1: a case failed, 77: none could run here. What was skipped is said by lines "SKIPPED NAME: reason".
"""
import importlib.util
import sys
import unittest
from pathlib import Path


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"SKIPPED {sys.argv[1]}: {test.id().split('.')[-1]}: {reason}", flush=True)


def main():
    file = Path(sys.argv[2])
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except unittest.SkipTest as skip:
        print(f"SKIPPED {sys.argv[1]}: {skip}")
        return 77
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=Result, verbosity=2).run(suite)
    if not result.wasSuccessful():
        return 1
    if result.testsRun == 0:
        print("no test in this file")
        return 1
    return 77 if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
