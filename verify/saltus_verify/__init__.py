"""An independent check of a results file of Saltus: python3 -m saltus_verify out.h5

It reads the scene from the file, recomputes masses, stiffness and geometry with NumPy, and inserts the stored steps into
the equations of their schemes. No code is taken from the program: the equations come from docs/theory.
"""
