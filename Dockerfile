# One image for every part of the site; docker-compose.yml sets the management command of each container.
FROM debian:bookworm-slim

# bubblewrap isolates bots; it needs Perl (perl-base), which is in the base image. The other packages are promised to
# bots: they see only /usr, and so Debian's Python and numpy, but not the site's packages.
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      bubblewrap cmake g++ gcc libc6-dev make nodejs openjdk-17-jdk-headless python3 python3-numpy python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/site

ENV PATH=/opt/site/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SQUAREFIELD_NO_BOOTSTRAP=1 \
    SQUAREFIELD_VAR=/var/lib/squarefield
WORKDIR /app

# Packages before code, so that a change of code does not reinstall them. A build behind a package mirror passes pip's
# settings and its own certificates as secrets, which no layer keeps: `--secret id=pip,src=…`, `--secret id=ca,src=…`.
COPY requirements/run.txt requirements/run.txt
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt \
    pip install --no-cache-dir --root-user-action=ignore --require-hashes -r requirements/run.txt

# A named volume mounted here inherits this owner.
RUN useradd --uid 1000 --create-home squarefield \
 && install -d -o squarefield -g squarefield -m 700 /var/lib/squarefield
COPY . .
USER squarefield
EXPOSE 8000
CMD ["python", "manage.py", "web", "--host", "0.0.0.0", "--port", "8000"]
