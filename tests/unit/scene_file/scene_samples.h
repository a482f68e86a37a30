// Scenes shared by the tests of the scene reader.
#pragma once
#include <string>

namespace saltus_test {

/// A string over frets, as a user would write it.
inline const std::string kBass = R"(saltus: 1
title: Bass string on twenty frets
time: {end: 500 ms, rate: 44.1 kHz}
bodies:
  - name: string
    kind: modal
    string: {length: 0.863 m, tension: 191.6 N, linear_density: 6.7 g/m, inharmonicity: 3.5e-5,
             modes: 862, damping: {model: air-viscoelastic, diameter: 1.14 mm, loss_angle: 0.01,
             thermoelastic: 1.5e-4, loss_frequency: ideal}}
    scheme: modal-exact
    pluck: {at: 0.64 m, height: 3.6 mm}
contacts:
  - on: string
    against: {frets: {count: 20, scale: 0.863 m, height: [-0.203e-3, -7.994e-3, 7.434e-3]}}
    law: {kind: signorini-position}
outputs:
  - {probe: string, at: 0.82 m, quantity: velocity, wav: pickup.wav}
)";

/// Every kind of entry at least once, every value away from its default where it has one.
inline const std::string kEverything = R"(saltus: 1
title: "No: everything, \"once\""
time: {end: 30 ms, step: 10 us}
contact: {instant: start}
solver: {kind: principal-pivoting, tolerance: 1e-9, iterations: 77}
on_failure: halve
bodies:
  - name: tabled
    kind: modal
    string: {length: 1.002, linear_density: 1.17 g/m, modes: 5, table: modes.csv}
    scheme: {kind: modal-exact, start: raw}
    initial: {file: modes.csv, column: 4, velocity_column: 5}
  - name: stiff
    kind: modal
    string: {length: 1.002, tension: 180.5, linear_density: 1.17e-3, inharmonicity: 1.78e-5,
             modes: 5, dispersion: first-order, damping: {constant: 3 1/s}}
    scheme: {kind: moreau-jean, theta: 1, newton_tolerance: 1e-8, newton_iterations: 3, gamma: 0.25,
             use_gamma: true}
    initial: {coordinates: [1e-3, 2e-3], velocities: [0, -1]}
    origin: [1 mm, 2 mm, 3 mm]
    axis: [0, 1, 0]
    direction: [0, 0, -1]
  - name: bar
    kind: modal
    bar: {motion: bending, ends: clamped-clamped, length: 0.5, young: 210 GPa, density: 7.8 g/cm^3,
          area: 1 cm^2, second_moment: 83 mm^4, modes: 3, damping: {table: losses.csv}}
  - name: rod
    kind: modal
    bar: {motion: longitudinal, ends: free-free, length: 0.5, young: 2e11, density: 7800,
          area: 1e-4, modes: 3}
  - name: generic
    kind: modal
    modes: {omega: [3 rad/s, 180 deg/s], sigma: [0, 1], mass: [0.5 kg, 20 g], shapes: shapes.csv}
  - name: from file
    kind: modal
    modes: {file: modes.csv}
contacts:
  - {on: tabled, against: {frets: [[0.1, -1 mm], [0.2, -2 mm]]}, law: signorini-position}
  - on: tabled
    against: {neck: {height: [-1e-3, 2e-3], until: 0.6, beyond: -10 mm}}
    law: newton-impact
  - {on: tabled, against: {flat: {height: -1 mm}}, law: {kind: schatzman-paoli, restitution: 0.5}}
  - {on: tabled, against: {flat: {height: -2 mm}}, law: {kind: schatzman-paoli}}
  - name: bridge
    on: stiff
    against: {points: [[6 mm, 0]]}
    law: {kind: newton-impact, restitution: 0.9, activation: {forecast: 0.5, threshold: 1 um,
          velocity_threshold: 1 mm/s, closing_only: true}}
  - {on: bar, against: {file: obstacle.csv}, law: newton-impact}
outputs:
  - {probe: stiff, at: 0.5, quantity: displacement, csv: a.csv, modes: all, wav: a.wav, gain: 2}
  - {probe: stiff, at: 0.5}
results: {frames: 0, every_step: false, checkpoint_every: 100}
reference: {file: exact.csv}
start: {file: before.h5, frame: 2}
phases:
  - {name: first, duration: 10 ms}
  - {name: second, change: [contact.margin=2e-3]}
)";

/// Bodies of the kinds linear, lagrangian and particles, every entry at least once.
inline const std::string kMechanics = R"(saltus: 1
title: Mechanics
time: {end: 1 s, step: 1 ms}
bodies:
  - {name: o, kind: linear, oscillator: {mass: 1, stiffness: 2 N/mm, damping: 3}, direction: [1, 0, 0]}
  - name: c
    kind: linear
    chain: {masses: 2, mass: 1, stiffness: 3, damping: 0.1, ends: fixed-fixed, spacing: 0.1}
    rayleigh: {mass: 0.2, stiffness: 1 us}
    initial: {velocity: -1 mm/s}
  - name: e
    kind: linear
    mesh: {elements: 3, length: 1, young: 1, density: 1, area: 1, ends: fixed-free, lumped: true}
    loads: [{dof: 2, table: [[0, 1], [1, 2]], smooth: true}, {pattern: [1, 2, 3], constant: 4}]
  - name: k
    kind: linear
    matrices: {mass: [[2, 1], [1, 2]], stiffness: [1, 2], damping: [[0, 1], [-1, 0]], load: [1, 2]}
    scheme: {kind: newmark, gamma: 0.6, beta: 0.3025, solver: linear}
    prescribed: [{dof: 1, harmonic: {amplitude: 1 mm, frequency: 2 Hz, phase: 30 deg, mean: 0.1}}]
  - name: f
    kind: linear
    matrices: {mass: m.mtx, stiffness: k.npy, load: f.csv}
    prescribed: [{dof: 1, file: u.csv}]
  - name: p
    kind: lagrangian
    pendulum: {mass: 2, length: 2, gravity: 1.62, dashpot: 0.1}
    tangents: differences
    loads: [{dof: 0, harmonic: {amplitude: 1, frequency: 2}}, {dof: 0, file: t.csv}]
  - {name: n, kind: lagrangian, n_pendulum: {mass: [1, 2, 3], length: [1, 1, 1]}, origin: [0, 0, 1]}
  - {name: d, kind: lagrangian, duffing: {mass: 2, stiffness: -1, cubic: 2, dashpot: 0.1}}
  - {name: s, kind: lagrangian, spring_pendulum: {stiffness: 3, length: 2}, initial: {coordinates: [0, -1]}}
  - {name: q, kind: lagrangian, planet: {mu: 2}, initial: {coordinates: [1, 0], velocities: [0, 1]}}
  - {name: r, kind: lagrangian, planar_rod: {inertia: 0.2}, prescribed: [{dof: 2, constant: 0.1}]}
  - {name: x, kind: lagrangian, slider_crank: {torque: 0.1}, scheme: euler-implicit}
  - {name: v, kind: lagrangian, stvk_bar: {elements: 3}, scheme: discrete-gradient}
  - name: b
    kind: particles
    particles:
      mass: [1, 2]
      positions: [[0, 0, 1], [0, 0, 2]]
      velocities: [[0, 0, 1], [0, 0, 0]]
      springs:
        - {between: [0, 1], stiffness: 3, damping: 0.1, tension_only: true}
        - {particle: 0, anchor: [0, 0, 0], stiffness: 1, length: 0.5}
      gravity: [0, 0, -9.81]
      drag: 0.1
    loads: [{particle: 1, direction: [0, 1, 1], constant: 2}]
    prescribed: [{dof: 0, constant: 0}]
  - {name: g, kind: particles, particles: {file: balls.csv}}
contacts:
  - {on: b, at: [0, 1], against: {plane: {point: [0, 0, -1]}}, law: newton-impact}
  - {on: b, at: 1, against: {body: b, at: 0, normal: [0, 0, 1]}, law: newton-impact}
  - {on: n, at: bob_2, against: {plane: {point: [0, 0, -5], normal: [0, 1, 1]}}, law: newton-impact}
  - {on: o, against: {stop: {at: -1, side: below}}, law: newton-impact}
outputs:
  - {probe: b, at: 1, direction: [1, 0, 0]}
  - {probe: n, at: 2}
  - {probe: n, at: bob_1, quantity: displacement}
)";

/// The head of a small valid scene that ends inside `bodies[0]`; two lines, four with the bodies.
inline const std::string kSmall = R"(saltus: 1
time: {end: 1 s, rate: 1 kHz}
bodies:
  - {name: a, kind: modal, modes: {omega: [1, 2]}}
)";

}  // namespace saltus_test
