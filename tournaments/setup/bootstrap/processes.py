"""Processes of a site, as words after `manage.py`: those that Compose, the demo and the tests start."""

# Run once, before the others.
PREPARATIONS = {
    "migrate": ("migrate", "--no-input"),
}
# Any number of each can run at a time.
SERVICES = {
    "web": ("web",),
    "coordinator": ("coordinator",),
    "worker": ("worker",),
}
