#!/usr/bin/env python3
"""Runs scenes to their ends, so that several tests can look at the same results.

    run_examples.py SALTUS FOLDER SCENE [SCENE ...]     SALTUS: the command; FOLDER: made anew, gets a file NAME.h5 of each scene

Ends with 1 where a run does not end well, or a scene of examples/ warns that is not there to show it.
"""
import pathlib
import shutil
import subprocess
import sys

WARNS = {"energy_of_activation"}  # it shows what the warning is about


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    good = True
    for scene in map(pathlib.Path, sys.argv[3:]):
        run = subprocess.run([program, "run", scene, "-o", folder / f"{scene.stem}.h5", "--quiet", "--threads", "1"],
                             cwd=folder, capture_output=True, text=True)  # others run beside
        if run.returncode != 0:
            print(f"{scene}: the run ends with {run.returncode}: {run.stderr}")
            good = False
        elif run.stderr and scene.parent.name == "examples" and scene.stem not in WARNS:
            print(f"{scene}: a shipped example is to run without a warning: {run.stderr}")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
