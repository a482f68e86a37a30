"""The command: python3 -m saltus_verify out.h5"""
import argparse
import json
import os
import sys


def verify(name, checksums=True):
    """The report on a file. Without checksums only the equations decide."""
    from .model import Model
    from .results import Results
    results = Results(name)
    return whole(results, Model(results), checksums)


def whole(results, model, checksums=True):
    from . import ledger, start
    from .report import Report
    report = Report()
    ledger.check(results, report)
    if checksums:
        start.checksums(results, report, range(results.frames))
    equations(results, model, report, range(results.frames))
    return report


def equations(results, model, report, frames):
    """Inserts these frames into their equations. Bounds are those of the whole file, so that a part of the frames passes if
    all frames pass."""
    from . import start, steps
    start.check(results, model, report, frames)
    steps.check(results, model, report, frames)


def main(arguments):
    from .results import NoSteps
    parser = argparse.ArgumentParser(prog="saltus verify", description="checks a results file with code of its own")
    parser.add_argument("file", help="results file")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    options = parser.parse_args(arguments)
    if os.path.isdir(options.file):
        print(f"saltus verify: {options.file}: is a folder; allowed: a file of a finished `saltus run`",
              file=sys.stderr)
        return 2
    try:
        report = verify(options.file)
    except FileNotFoundError:
        print(f"saltus verify: {options.file}: there is no such file", file=sys.stderr)
        return 2
    except OSError as fault:
        last = str(fault).splitlines()[0].rsplit("(", 1)[-1].rstrip(")")
        print(f"saltus verify: {options.file}: is not a complete results file: {last}; allowed: a file of a finished `saltus run`",
              file=sys.stderr)
        return 2
    except NoSteps as fault:
        print(f"saltus verify: {options.file}: cannot be checked: {fault}", file=sys.stderr)
        return 2
    except (KeyError, ValueError) as fault:  # a table is missing
        print(f"saltus verify: {options.file}: cannot be checked: {fault}; allowed: results of this version", file=sys.stderr)
        return 2
    except Exception as fault:  # fault of the verifier: no verdict is better than a wrong one
        print(f"saltus verify: {options.file}: the verifier fails: {type(fault).__name__}: {fault}", file=sys.stderr)
        return 2
    print(json.dumps(report.as_dict()) if options.json else report.text())
    if not options.json:
        print("verify: " + ("pass" if report.passed else "FAIL: " + ", ".join(report.failed_names())))
    return 0 if report.passed else 1
