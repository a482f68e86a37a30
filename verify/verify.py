#!/usr/bin/env python3
"""saltus verify without the command: python3 verify/verify.py out.h5"""
import os
import sys

sys.dont_write_bytecode = True

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # matrices are small: threads would only wait for each other
    os.environ.setdefault(_name, "1")

if __name__ == "__main__":
    try:
        import h5py  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as fault:
        print(f"saltus verify: Python has no module '{fault.name}': install python3-numpy and python3-h5py", file=sys.stderr)
        sys.exit(2)
    from saltus_verify.command import main

    sys.exit(main(sys.argv[1:]))
