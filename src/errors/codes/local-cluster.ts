import { define } from "../error-code-entry.ts";

/** Lists what exists, for a hint after a name that does not. */
function availableHint(known: readonly string[], none: string): string {
  return known.length === 0 ? none : `Use one of: ${known.join(", ")}.`;
}

function nameOption(name: string): string {
  return name === "default" ? "" : ` --name ${name}`;
}

/** Codes about the embedded cluster: its process, state, sandboxes, images, chaos rules and UIs. */
export const localClusterCodes = {
  SUBMIT_ERR_CLUSTER_START: define<{ name: string; log: string; lines: string }>({
    kind: "environment",
    text: ({ name, lines }) => `The cluster "${name}" did not start.${lines === "" ? "" : `\n${lines}`}`,
    hint: ({ log }) => `Read the complete log: ${log}`,
  }),
  SUBMIT_ERR_CLUSTER_IN_USE: define<{ name: string; pid: number }>({
    kind: "environment",
    text: ({ name, pid }) => `Process ${pid} already serves the cluster "${name}".`,
    hint: ({ name }) => `Stop it first: firesteel cluster stop${nameOption(name)}`,
  }),
  SUBMIT_ERR_CLUSTER_STATE: define<{ path: string; offset: number; reason: string }>({
    kind: "environment",
    text: ({ path, offset, reason }) => `Cannot read the state of the cluster in ${path} at byte ${offset}: ${reason}.`,
    hint: () =>
      "To keep what is readable and move damaged files away, run `firesteel cluster start --repair`. To remove the cluster with all its objects, run `firesteel cluster delete`.",
  }),
  SUBMIT_ERR_CLUSTER_API_ONLY: define<{ name: string }>({
    kind: "environment",
    text: ({ name }) => `The cluster "${name}" runs no pods: it was started with --api-only.`,
    hint: () => "Stop it with `firesteel cluster stop`, then start it without --api-only.",
  }),
  SUBMIT_ERR_CLUSTER_NOT_FOUND: define<{ name: string }>({
    kind: "environment",
    text: ({ name }) => `The cluster "${name}" is not running.`,
    hint: ({ name }) => `Start it: firesteel cluster start${nameOption(name)}`,
  }),
  SUBMIT_ERR_IMAGE_ARCHIVE: define<{ file: string; reason: string }>({
    kind: "dependency",
    text: ({ file, reason }) => `Cannot load an image from ${file}: ${reason}`,
    hint: () =>
      "Create the file with `docker save NAME -o FILE`, with `podman save`, or as an OCI layout in a tar archive.",
  }),
  SUBMIT_ERR_IMAGE_NOT_FOUND: define<{ name: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ name }) => `Image not found: ${name}`,
    hint: ({ known }) => availableHint(known, "Load an image first: firesteel cluster image load FILE"),
  }),
  SUBMIT_ERR_JAVA_COMPILE: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `Cannot compile the Java example: ${reason}`,
    hint: () =>
      "Install a JDK, 17 or later (Debian, Ubuntu: apt-get install openjdk-17-jdk-headless), or run the Python example, which needs none: npm start",
  }),
  SUBMIT_ERR_CHAOS_FIELD: define<{ field: string; value: string; allowed: string }>({
    kind: "usage",
    text: ({ field, value, allowed }) => `Invalid value '${value}' for ${field}; allowed: ${allowed}.`,
    hint: () => "List all faults and fields: firesteel cluster chaos --help",
  }),
  SUBMIT_ERR_CHAOS_NOT_FOUND: define<{ what: string; name: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ what, name }) => `The ${what} "${name}" does not exist.`,
    hint: ({ known }) => availableHint(known, "List the cluster's state: firesteel cluster chaos list"),
  }),
  SUBMIT_ERR_CHAOS_REJECTED: define<{ message: string }>({
    kind: "environment",
    text: ({ message }) => `The cluster rejected the request: ${message}`,
  }),
  SUBMIT_ERR_UI_NOT_FOUND: define<{ name: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ name }) => (name === "" ? "No driver is running." : `No running driver matches "${name}".`),
    hint: ({ known }) =>
      availableHint(
        known,
        "Submit an application first. A driver serves its UI while it runs in a pod of this cluster, unless spark.ui.enabled is false.",
      ),
  }),
  SUBMIT_ERR_UI_NO_RESPONSE: define<{ cluster: string; namespace: string; pod: string; url: string }>({
    kind: "environment",
    text: ({ pod, url }) => `The driver ${pod} does not serve its UI at ${url}.`,
    hint: ({ cluster, namespace, pod }) =>
      `Check spark.ui.enabled, spark.ui.port and the log, which shows whether the driver has just ended: eval "$(firesteel cluster env --name ${cluster})" && kubectl logs --namespace ${namespace} ${pod}`,
  }),
  SUBMIT_ERR_SANDBOX: define<{ name: string; reason: string }>({
    kind: "environment",
    text: ({ name, reason }) => `Cannot run containers with ${name} on this machine: ${reason}`,
    hint: () =>
      "Install bubblewrap, or allow user namespaces (sysctl user.max_user_namespaces; on Ubuntu 24.04 and later kernel.apparmor_restrict_unprivileged_userns=0), or choose the sandbox `process`, which isolates nothing.",
  }),
};
