# Pages of large runs; and, told but not judged, for a machine may be busy: how long they take to be there, and how quickly
# they are drawn.
import json

from examples import MOST_BYTES
from page import Page, chromium
from served import until

BALLS = """saltus: 1
title: Ten thousand balls
time: {end: 40 ms, step: 4 ms}
gravity: [0, 0, -9.81]
solver: {kind: body-gauss-seidel, tolerance: 1e-3}
on_failure: accept
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: balls
    kind: rigid
    rigid:
      shape: {sphere: {radius: 10 mm}}
      density: 2500
      position: [0, 0, 11 mm]
      velocity: [0, 0, -1]
      copies: {count: [25, 25, 16], spacing: [21 mm, 21 mm, 21 mm]}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
results: {frames: 11}
"""

# 2 x 158 x 158 squares above and below and 4 x 158 at the edges, two triangles each
MESH = """saltus: 1
title: A large mesh
time: {end: 2 us, step: 0.2 us}
bodies:
  - name: plate
    kind: fem
    scheme: central-difference
    fem:
      mesh: {box: {kind: hex8, cells: [158, 158, 1], size: [1, 1, 0.005]}}
      material: {law: linear, young: 210 GPa, poisson: 0.3, density: 7850}
      velocity: [1, 0, 0]
      fixed: [{set: x0}]
results: {frames: 11, stress: true}
"""


def played(saltus, scene, name):
    """Frames a second of script and memory of the page, while it plays."""
    (saltus.folder / f"{name}.yaml").write_text(scene)
    results = saltus.run(saltus.folder / f"{name}.yaml")
    file, told = saltus.report(results)
    with chromium(800, 500) as driver:
        page = Page(driver, file.as_uri())
        page.ask("play()")
        until(lambda: page.ask("frame()") == told["frames"] - 1, "it plays to the end", 120)
        counts, script, costs, heap = page.ask("counts()"), page.ask("frameTime()"), page.ask("costs()"), page.heap()
        page.clean()
    print(f"{name}: {json.dumps(counts)}, {told['frames']} frames, {file.stat().st_size / 1e6:.2f} MB, ready in "
          f"{page.ready_seconds:.2f} s, {script:.2f} ms of script a frame ({1e3 / script:.0f} a second), "
          f"{json.dumps({k: round(v, 2) for k, v in costs.items()})} ms, heap {heap / 1e6:.1f} MB", flush=True)
    assert file.stat().st_size <= MOST_BYTES
    return counts


def ten_thousand_balls(saltus):
    counts = played(saltus, BALLS, "balls")
    assert counts["instances"] == 10_001 and counts["arrows"] > 600, counts  # the lowest layer has met the floor


def a_large_mesh(saltus):
    counts = played(saltus, MESH, "mesh")
    assert counts["triangles"] == 101_120, counts
