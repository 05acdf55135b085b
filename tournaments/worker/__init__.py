"""The worker: checks submissions, plays matches and answers questions."""
