"""The processes that make a site, as words after `manage.py`: what Compose, the demo and the tests all start."""

# Run once, before the others.
PREPARATIONS = {
    "migrate": ("migrate", "--no-input"),
}
# Any number of each may run at a time.
SERVICES = {
    "web": ("web",),
    "coordinator": ("coordinator",),
    "worker": ("worker",),
}
