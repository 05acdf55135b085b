"""Evaluators and estimators for individual games."""
