/** Names of the parts of a built environment. */
export const environmentParts = { programs: "bin", packages: "site-packages" } as const;

/**
 * Returns the script `bin/python` of an environment that uses the image's interpreter. It finds its packages beside itself, so the
 * environment works in every directory. They come after the entries of PYTHONPATH, as in a virtual environment: Spark's own modules
 * and those of the application have precedence.
 */
export function startScript(version: string): string {
  return `#!/bin/sh
# Starts the image's Python ${version} with the packages of this environment.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
python=$(command -v python${version} || command -v python3)
if [ -z "$python" ]; then
  echo "The image has no Python: its search path has neither python${version} nor python3." >&2
  exit 127
fi
case $python in
*python${version}) ;;
*)
  found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  if [ "$found" != "${version}" ]; then
    echo "The Python environment of this application is for Python ${version}, but the image has Python $found." >&2
    echo "Submit again with spark.firesteel.pythonEnv.version=$found." >&2
    exit 1
  fi
  ;;
esac
PYTHONPATH="\${PYTHONPATH:+$PYTHONPATH:}$root/${environmentParts.packages}"
export PYTHONPATH
exec "$python" "$@"
`;
}
