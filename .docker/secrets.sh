#!/bin/sh
# Usage: sh .docker/secrets.sh [--postgres HOST:PORT] [--database HOST:PORT] [--broker HOST:PORT] [DIRECTORY]
#
# Writes the secrets that docker-compose.yml and the units for systemd read: one file each, in .secrets by default.
# `--postgres` is the address of PostgreSQL, and `--database` that of a pooler in front of it. Files that exist are
# kept, except that the addresses of the database and the broker in them change. Only you can enter the directory; the files
# themselves are readable, because Compose shows each to its containers with the owner and the mode that it has here.
set -eu
postgres=postgres:5432 database='' broker=redis:6379
while [ $# -gt 0 ]; do
    case $1 in
        --postgres) postgres=$2; shift 2 ;;
        --database) database=$2; shift 2 ;;
        --broker) broker=$2; shift 2 ;;
        -*) echo "unknown option $1: use --postgres, --database or --broker HOST:PORT" >&2; exit 2 ;;
        *) break ;;
    esac
done
database=${database:-$postgres}
directory=${1:-.secrets}
rules=$(dirname "$0")/redis.acl
umask 077
mkdir -p "$directory"
umask 022

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
hash() { printf %s "$1" | sha256sum | cut -d' ' -f1; }
# put NAME TEXT: writes a file, unless it exists.
put() { [ -s "$directory/$1" ] || printf '%s\n' "$2" > "$directory/$1"; }
# password NAME: prints the password in the address in a file.
password() { sed -E 's|^[a-z]+://[^:]*:([^@]*)@.*|\1|' "$directory/$1"; }
# address NAME SCHEME USER HOST PATH [PASSWORD]: writes an address, with a new password by default, or changes its host.
address() {
    put "$1" "$2://$3:${6:-$(random)}@$4/$5"
    sed -E "s|@[^/]*/|@$4/|" "$directory/$1" > "$directory/$1.new" && mv "$directory/$1.new" "$directory/$1"
}

put secret_key "$(random)$(random)"
put metrics_token "$(random)"
put email_url consolemail://
# 32 random bytes in base64url, as `manage.py make_push_key` prints them.
put push_key "$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n')"
put postgres_password "$(random)"
address database_url_owner postgres squarefield "$postgres" squarefield "$(cat "$directory/postgres_password")"
for kind in web coordinator worker; do
    address "database_url_$kind" postgres "squarefield_$kind" "$database" squarefield
    address "redis_url_$kind" redis "squarefield-$kind" "$broker" 0
done
for kind in web coordinator worker; do
    printf '"squarefield_%s" "%s"\n' "$kind" "$(password "database_url_$kind")"
done > "$directory/pgbouncer_users"
# One line per user, as the server reads them.
sed '/^#/d; /^$/d' "$rules" | tr -s '\n ' ' ' | sed 's/ user /\nuser /g; s/ *$/\n/' > "$directory/redis_acl.new"
for kind in web coordinator worker; do
    sed -i "s/^user squarefield-$kind on /&#$(hash "$(password "redis_url_$kind")") /" "$directory/redis_acl.new"
done
mv "$directory/redis_acl.new" "$directory/redis_acl"
echo "The secrets are in $directory."
