"""Debian's docker-compose 1.29, with the one option that only Docker's own client translates.

    /usr/bin/python3 docker_compose.py ARGUMENTS OF docker-compose

`systempaths=unconfined` is not an option of the daemon: Docker's client and the Compose plugin, which has the same
code, ask the daemon for a container without masked and read-only paths.
"""

import sys
from typing import Any, Final

from compose.cli.main import main
from compose.service import Service

_OPTION: Final = "systempaths=unconfined"
_of_a_host = Service._get_container_host_config


def _translated(service: Any, *arguments: Any, **options: Any) -> Any:
    config = _of_a_host(service, *arguments, **options)
    if _OPTION in config.get("SecurityOpt", ()):
        config["SecurityOpt"].remove(_OPTION)
        config |= {"MaskedPaths": [], "ReadonlyPaths": []}
    return config


Service._get_container_host_config = _translated

if __name__ == "__main__":
    sys.exit(main())
