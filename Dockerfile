# One image for every part of the site; docker-compose.yml says which management command a container runs.
FROM python:3.11-slim-bookworm

# bubblewrap is the wall around bots; prlimit and setpriv come with util-linux, which the base has.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/*

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SQUAREFIELD_NO_BOOTSTRAP=1 \
    SQUAREFIELD_VAR=/var/lib/squarefield
WORKDIR /app

# Packages before code: a change of code does not install them again.
COPY requirements/run.txt requirements/run.txt
RUN pip install --no-cache-dir --root-user-action=ignore --require-hashes -r requirements/run.txt

# A named volume mounted here takes over the owner.
RUN useradd --uid 1000 --create-home squarefield \
 && install -d -o squarefield -g squarefield -m 700 /var/lib/squarefield
COPY . .
USER squarefield
EXPOSE 8000
CMD ["python", "manage.py", "web", "--host", "0.0.0.0", "--port", "8000"]
