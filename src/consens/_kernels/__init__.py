"""Compiled inner loops: arrays in, arrays out; no validation, no random state, no objects.

Import a kernel inside the function that calls it, so that importing the library never loads
numba.  Each kernel has a plain NumPy twin in its test.
"""
