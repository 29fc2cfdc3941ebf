#!/bin/sh
# Makes the secrets of docker-compose.yml in ./secrets, each in a file. A secret that exists stays as it is.
set -eu
cd "$(dirname "$0")/../.."
umask 077
mkdir -p secrets
# Containers read the files by users of their own, so the files are readable; the folder keeps everybody else out.
chmod 700 secrets

keep() {
  if [ ! -s "secrets/$1" ]; then
    cat >"secrets/$1"
    chmod 444 "secrets/$1"
    echo "made secrets/$1"
  else
    cat >/dev/null
  fi
}

openssl rand -hex 24 | keep postgres_superuser_password
openssl rand -hex 24 | keep postgres_password
openssl rand -hex 24 | keep redis_password
openssl rand -base64 32 | keep secrets_key
openssl rand -base64 18 | keep admin_password
printf 'postgres://checkout:%s@postgres:5432/checkout\n' "$(cat secrets/postgres_password)" | keep database_url
printf 'redis://:%s@redis:6379\n' "$(cat secrets/redis_password)" | keep redis_url
