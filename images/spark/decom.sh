#!/usr/bin/env bash
for directory in /proc/[0-9]*; do
  [[ $(tr '\0' ' ' < "$directory/cmdline" 2> /dev/null) == *KubernetesExecutorBackend* ]] || continue
  executor=${directory#/proc/}
done
[[ -n "$executor" ]] || exit 0
echo "Asked to decommission process $executor" > /proc/1/fd/1 2> /dev/null
kill -s PWR "$executor"
timeout 60 tail --pid="$executor" -f /dev/null
