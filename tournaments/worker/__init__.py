"""The worker: it checks submissions and plays matches."""
