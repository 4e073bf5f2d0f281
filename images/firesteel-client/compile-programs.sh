#!/bin/sh
# Stores the code that this image's Node compiles of a submission beside the programs, instead of that of the Node which built
# them. Containers then start as fast with any user ID and a read-only root file system, where Firesteel's own cache is not stored.
set -eu
work=$(mktemp -d)
export HOME="$work" FIRESTEEL_STATE="$work/state" FIRESTEEL_CACHE="$work/cache"
export KUBECONFIG="$work/state/clusters/default/kubeconfig"
trap 'firesteel cluster delete > /dev/null || true; rm -rf "$work"' EXIT

# An API server that accepts the objects of a submission.
firesteel cluster start --api-only > /dev/null
master=k8s://$(sed -n 's/^ *server: //p' "$KUBECONFIG")
set -- --master "$master" --deploy-mode cluster --class Main --conf spark.kubernetes.container.image=spark \
  --conf spark.kubernetes.submission.waitAppCompletion=false local:///app.jar
spark-submit "$@" > /dev/null
firesteel submit "$@" > /dev/null
for program in spark-submit firesteel; do
  for option in --help --version; do "$program" "$option" > /dev/null 2>&1; done
done

# Without files if the programs were built with the same release of Node.
for file in "$work"/cache/code/*/*.cjs; do
  [ -f "$file" ] || continue
  install -m 0644 "$file" "/opt/firesteel/dist/bin/parts/${file##*/}.cache"
done
