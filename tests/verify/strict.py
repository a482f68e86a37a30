#!/usr/bin/env python3
"""Exit codes and lines of `saltus verify`, with and without the checksums of a file.

    strict.py PROGRAM SCENE

Ends with 1 if one is not as documented, with 77 (skipped) without NumPy or h5py.
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
try:
    import h5py
except ImportError:
    print("skipped: no h5py")
    sys.exit(77)


def main():
    program, scene = sys.argv[1:]
    faults = []

    def verify(name, code, *lines, options=()):
        run = subprocess.run([program, "verify", name, *options], capture_output=True, text=True)
        missing = [line for line in lines if line not in run.stdout]
        if run.returncode != code or missing:
            faults.append(f"{' '.join(options)}: exit code {run.returncode} instead of {code}; without {missing}\n{run.stdout}")

    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "results.h5")
        subprocess.run([program, "run", scene, "-o", name, "--quiet", "--set", "time.end=0.1"], check=True, capture_output=True)
        verify(name, 0, "checksums of tables", "verify: pass", options=["--strict"])
        with h5py.File(name, "r+") as file:
            file["step/iterations"][3] += 1
        verify(name, 1, "checksums of tables", "FAIL     step/iterations")
        with h5py.File(name, "r+") as file:
            file["step/iterations"][3] -= 1
            file["notes"] = [1.0, 2.0]
        verify(name, 3, "not checked: notes: it is not among the checksums of the run", options=["--strict"])
        with h5py.File(name, "r+") as file:
            del file["notes"], file["provenance/checksums"]  # as in the file of a stopped run: sums up to its checkpoint
            file["step/iterations"][4] += 1
        verify(name, 1, "FAIL     step/iterations", "contact law")
        with h5py.File(name, "r+") as file:
            file["step/iterations"][4] -= 1
            del file["provenance/sums"]
        lines = [f"not checked: {path}: it has no checksum" for path in ("step/gap", "step/iterations", "timing/step", "scene")]
        verify(name, 0, "verify: pass", *lines)
        verify(name, 3, "verify: pass", *lines, options=["--strict"])
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
