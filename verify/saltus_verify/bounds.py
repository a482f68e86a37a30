"""Bounds of the checks, relative to the largest term of the equation that is checked; docs/reference/verify.md gives the reasons."""

INERTIA = 1e-12     # of the equations of motion, relative to their terms m v
IMPULSE = 3e-8      # and relative to the impulses on the body
FLAT_FORCE = 5e-12  # and relative to h times the forces, term by term
PASS = 1e-10        # change of the velocity at which passes end, relative to the velocity
RENEWED = 6         # passes in which the rows of joints follow the motion whatever its change
OTHERS = 0.1        # the bound of a body is at least this fraction of the largest one in its group
MOTION = 1e-13      # round-off of a few operations, relative to the positions
ENERGY = 1e-13      # of a state, relative to its parts
LEDGER = 1e-11      # of sums over all steps, relative to the largest account
START = 1e-9        # of the first frame against the scene
UNIT = 1e-12        # lengths of quaternions and directions
GAP = 1e-12         # relative to the places
FORCE = 1e-12       # impulse over h against the force
ROW = 16.0          # round-offs of the largest terms of a row of the ledger
REACH = 1.0         # of h times the speed: the smallest gap of shapes is measured from other points than those of the contacts
PROBE = 1e-11       # relative to the places
