import type { ImageReference } from "./image-reference.ts";

/** Prefix of the version of the container runtime in the status of an embedded cluster's node. */
export const embeddedRuntimePrefix = "firesteel://";

/** Repositories that the embedded cluster serves from this machine's own programs. */
const plainRepositories = ["busybox", "alpine", "bash", "debian", "ubuntu"].map((name) => `docker.io/library/${name}`);

const initContainerNames = ["spark-init-container", "spark-init"];

/**
 * Returns the kind of an image that the embedded cluster makes itself, unless one of that name is loaded; `undefined` if it makes none.
 *
 * `spark-init-container` of any registry is Firesteel's init container; `spark-init` is its name in the first releases of Spark on
 * Kubernetes. `spark`, `apache/spark` and every repository with `spark` in the last part of its name is a Spark of the tag's release line.
 * `busybox` and similar names are this machine's programs.
 */
export function embeddedImageKind({
  repository,
}: Pick<ImageReference, "repository">): "plain" | "initContainer" | "spark" | undefined {
  if (plainRepositories.includes(repository)) return "plain";
  const name = repository.slice(repository.lastIndexOf("/") + 1);
  if (initContainerNames.includes(name)) return "initContainer";
  return /(^|[^a-z])spark([^a-z]|$)/.test(name) ? "spark" : undefined;
}
