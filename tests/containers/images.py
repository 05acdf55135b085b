"""Builds all images of the Compose file without a registry, on a base image from Debian's packages.

    python -m tests.containers.images CACHE SCRATCH

CACHE retains the base image, Docker's data and its build cache for the next run.
"""

import ast
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from tests.containers.engine import Engine, run

ROOT: Final = Path(__file__).resolve().parents[2]
BASE: Final = "squarefield-test-base"
CERTIFICATES: Final = "/etc/ssl/certs/ca-certificates.crt"
# This machine's own package sources, mirrors included.
_SOURCES: Final = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")
# Without what Debian's own slim image leaves out. dpkg need not wait for the disk: an image is complete or not there.
_MMDEBSTRAP: Final = (
    "mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates", '--aptopt=Acquire::Languages "none"',
    "--dpkgopt=force-unsafe-io",
    *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "groff", "info", "lintian", "locale", "man")),
)
# The options of each image's build. The slowest is the first.
_BUILDS: Final = {
    "squarefield-worker": ["--target=worker", str(ROOT)],
    "squarefield": ["--target=site", str(ROOT)],
    "squarefield-test-servers": [str(Path(__file__).parent / "servers")],
    "squarefield-pgbouncer": ["--target=pgbouncer", str(ROOT)],
}
_SECONDS: Final = 900
_BASE_DAYS: Final = 7
# A larger build cache loses its oldest layers.
_KEEP: Final = "6GB"


def main(cache: Path, scratch: Path) -> None:
    """Build everything, and print how long each step took."""
    base = cache / "base.tar"
    timed("the base image", partial(make_base, base))
    secrets = pip_secrets(scratch)
    with Engine(cache / "docker", scratch, networks=False) as engine:
        timed("its import", partial(engine.docker, "import", str(base), BASE))
        with ThreadPoolExecutor(len(_BUILDS)) as builds:
            list(builds.map(lambda image: timed(image, partial(build, engine, image, secrets)), _BUILDS))
        engine.docker("image", "prune", "--force")
        engine.docker("builder", "prune", "--force", f"--keep-storage={_KEEP}")


def timed(step: str, do: Callable[[], object]) -> None:
    """Do it, and print how long it took."""
    began = time.monotonic()
    do()
    sys.stdout.write(f"containers: {step} in {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()


def make_base(place: Path) -> None:
    """Make the base image, unless there is a recent one."""
    if place.exists() and time.time() - place.stat().st_mtime < _BASE_DAYS * 86_400:
        return
    sources = next(path for path in _SOURCES if Path(path).is_file() and Path(path).stat().st_size)
    new = place.with_name("new.tar")
    run([*_MMDEBSTRAP, "bookworm", str(new), sources], dict(os.environ), _SECONDS)
    new.replace(place)


def build(engine: Engine, image: str, secrets: list[str]) -> None:
    """Build an image on the network of this machine."""
    engine.docker("build", "--progress=plain", "--network=host", f"--build-arg=BASE={BASE}", *secrets, "--tag", image,
                  *_BUILDS[image], seconds=_SECONDS)


def pip_secrets(scratch: Path) -> list[str]:
    """Return the options that pass this machine's settings of pip to a build, without places on its disk."""
    listed = subprocess.run(["/usr/bin/python3", "-m", "pip", "config", "list"], capture_output=True, text=True,
                            check=False).stdout
    # Variables of the environment come last, and win.
    settings = {name.rpartition(".")[2]: str(ast.literal_eval(value))
                for name, _, value in (line.partition("=") for line in listed.splitlines())}
    remote = {name: " ".join(word for word in settings[name].split() if not word.startswith(("file:", "/")))
              for name in ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout") if name in settings}
    place = scratch / "pip.conf"
    place.write_text("[global]\n" + "".join(f"{name} = {value}\n" for name, value in remote.items() if value))
    return [f"--secret=id=pip,src={place}", f"--secret=id=ca,src={settings.get('cert', CERTIFICATES)}"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
