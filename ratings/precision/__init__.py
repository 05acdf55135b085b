"""Events that play until a target precision is met: looks, targets, batches and savings. Pure."""
