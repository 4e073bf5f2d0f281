#!/usr/bin/env bash
# Installs what the base image lacks for Spark. The argument is the language of its applications, java, python or r, or `training`
# for the application that the class data archive is made with.
set -euo pipefail

packages=()
need() {
  command -v "$1" > /dev/null || packages+=("$2")
}

need java openjdk-17-jre-headless
need tini tini
case "$1" in
  java) ;;
  python)
    need python3 python3
    need pip3 python3-pip
    ;;
  r) need Rscript r-base-core ;;
  training)
    need python3 python3
    need openssl openssl
    ;;
  *)
    echo "LANGUAGE must be java, python or r, not $1" >&2
    exit 1
    ;;
esac

if [[ ${#packages[@]} -gt 0 ]]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends "${packages[@]}"
  rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
fi
