#!/bin/sh
# Starts Redis with its password from a secret. The configuration comes by standard input: an argument would show in `ps`.
# A queue must not forget: no eviction, and at most a second is lost (and found again in Postgres).
set -eu
exec redis-server - <<CONFIGURATION
dir /data
appendonly yes
appendfsync everysec
maxmemory ${REDIS_MAXMEMORY:-400mb}
maxmemory-policy noeviction
requirepass $(cat "${REDIS_PASSWORD_FILE:-/run/secrets/redis_password}")
CONFIGURATION
