#!/bin/sh
# Starts PostgreSQL like the image of that name: a new volume gets the user, the database and the password.
set -eu
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
    initdb --no-sync --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust \
        --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 -D "$data" > /dev/null
    echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
    pg_ctl -D "$data" -w -o "-c listen_addresses=" start > /dev/null
    createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl -D "$data" -w stop > /dev/null
fi
exec postgres -D "$data" -c "listen_addresses=*" -c unix_socket_directories=/tmp,/var/run/postgresql
