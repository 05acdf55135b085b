# Two images. `site` is for web, coordinator and migrate; `worker`, the default, also has what bots are built with and
# run on. docker-compose.yml names the target and the management command of each service.
#
# BASE is Debian 12; a build that must be repeatable sets it to a digest: --build-arg BASE=debian@sha256:…
ARG BASE=debian:bookworm-slim
# Version that workers and the image's labels report, such as the commit.
ARG VERSION=1.0.0

# --- the site's Python packages, in a virtual environment without pip -----------------------------------------------
FROM ${BASE} AS packages
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/pip \
 && python3 -m venv --without-pip /opt/site
COPY requirements/run.txt .docker/prune.sh /build/
# A build behind a package mirror passes pip's settings and its own certificates as secrets, which no layer keeps:
# `--secret id=pip,src=…`, `--secret id=ca,src=…`. Compiled modules would double the size: each container makes its own.
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt \
    /opt/pip/bin/pip --python /opt/site/bin/python install --no-cache-dir --no-compile --root-user-action=ignore \
      --require-hashes -r /build/run.txt \
 && sh /build/prune.sh /opt/site/lib/python3.*/site-packages

# Only web serves requests, and only the coordinator pairs and rates.
FROM packages AS packages-of-worker
RUN cd /opt/site/lib/python3.*/site-packages && rm -rf granian* networkx* numpy* scipy*

# --- the system of `site`: Debian's Python and what it needs, nothing else ------------------------------------------
FROM ${BASE} AS system
RUN apt-get update \
 && apt-get install -y --no-install-recommends busybox-static ca-certificates libstdc++6 media-types python3 tzdata \
 && rm -rf /var/lib/apt/lists/*
COPY .docker/rootfs.sh .docker/sbom.py /build/
RUN sh /build/rootfs.sh /system \
      base-files busybox-static ca-certificates libbz2-1.0 libc6 libc-bin libcrypt1 libexpat1 libffi8 libgcc-s1 \
      liblzma5 libpython3.11-minimal libpython3.11-stdlib libsqlite3-0 libssl3 libstdc++6 libuuid1 media-types \
      python3-minimal python3.11 python3.11-minimal tzdata zlib1g
COPY --from=packages /opt/site /system/opt/site
RUN install -d /system/usr/share/squarefield \
 && python3 /build/sbom.py /system /system/opt/site/lib/python3.*/site-packages \
      > /system/usr/share/squarefield/sbom.cdx.json

FROM scratch AS site
ARG VERSION
COPY --from=system /system /
LABEL org.opencontainers.image.title="Squarefield" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      sbom="/usr/share/squarefield/sbom.cdx.json"
ENV PATH=/opt/site/bin:/usr/local/bin:/usr/bin:/bin \
    LANG=C.UTF-8 \
    PYTHONPYCACHEPREFIX=/tmp/pycache \
    PYTHONUNBUFFERED=1 \
    SQUAREFIELD_NO_BOOTSTRAP=1 \
    SQUAREFIELD_VAR=/var/lib/squarefield \
    SQUAREFIELD_VERSION=${VERSION}
WORKDIR /app
COPY . .
USER 1000:1000
# Imports every page and the ratings, so that the build fails if a package or a library is missing.
RUN export PYTHONDONTWRITEBYTECODE=1 SQUAREFIELD_SECRET_KEY=of-the-build \
 && python -c "import granian, networkx, ratings.official" \
 && python manage.py check
EXPOSE 8000
CMD ["python", "manage.py", "web", "--host", "0.0.0.0", "--port", "8000"]

# --- PgBouncer, for the profile of that name ------------------------------------------------------------------------
FROM ${BASE} AS pgbouncer
RUN apt-get update \
 && apt-get install -y --no-install-recommends pgbouncer \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
USER postgres
EXPOSE 6432
CMD ["pgbouncer", "/etc/pgbouncer/squarefield.ini"]

# --- a worker -------------------------------------------------------------------------------------------------------
FROM ${BASE} AS worker
ARG VERSION
# bubblewrap isolates bots; it needs Perl (perl-base), which is in the base image. The other packages are promised to
# bots: they see only /usr, and so Debian's Python and numpy, but not the site's packages. Not unpacked: documentation,
# tests, modules that only jlink reads, and programs that package other programs or read the compilers' own files.
RUN printf 'path-exclude=%s\n' '/usr/lib/jvm/*/jmods/*' '/usr/lib/jvm/*/lib/server/classes_nocoops.jsa' \
      '/usr/lib/jvm/*/man/*' '/usr/bin/*lto-dump*' '/usr/bin/cpack' '/usr/bin/ctest' '/usr/lib/*/gprofng/*' \
      '/usr/share/cmake-*/Help/*' '/usr/share/doc/*' '/usr/share/info/*' \
      '/usr/share/locale/*' '/usr/share/man/*' > /etc/dpkg/dpkg.cfg.d/squarefield \
 && apt-get update \
 && apt-get install -y --no-install-recommends \
      bubblewrap cmake g++ gcc libc6-dev make nodejs openjdk-17-jdk-headless python3 python3-numpy \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /usr/lib/python3/dist-packages/numpy/*/tests
LABEL org.opencontainers.image.title="Squarefield worker" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      sbom="/usr/share/squarefield/sbom.cdx.json"
COPY --from=packages-of-worker /opt/site /opt/site
COPY .docker/sbom.py /usr/share/squarefield/
RUN python3 /usr/share/squarefield/sbom.py / /opt/site/lib/python3.*/site-packages \
      > /usr/share/squarefield/sbom.cdx.json \
 && install -d -o 1000 -g 1000 -m 2770 /var/lib/squarefield /var/lib/squarefield/archives \
      /var/lib/squarefield/archives/bots /var/lib/squarefield/archives/builds
ENV PATH=/opt/site/bin:/usr/local/bin:/usr/bin:/bin \
    LANG=C.UTF-8 \
    PYTHONPYCACHEPREFIX=/var/cache/squarefield \
    PYTHONUNBUFFERED=1 \
    SQUAREFIELD_NO_BOOTSTRAP=1 \
    SQUAREFIELD_VAR=/var/lib/squarefield \
    SQUAREFIELD_VERSION=${VERSION}
WORKDIR /app
COPY . .
# Root without capabilities, except for those that docker-compose.yml adds: it gives each bot a user ID of its own.
USER 0:1000
CMD ["python", "manage.py", "worker"]
