"""An independent check of a results file of Saltus: python3 -m saltus_verify out.h5

It reads the scene out of the file, builds masses, stiffness and geometry anew with NumPy, and puts the stored steps into
the equations that they claim to obey. Nothing here is taken from the program: equations come from docs/theory.
"""
