"""Numerical routines without ensembles or estimators."""
