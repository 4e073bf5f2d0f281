import type { Pod } from "../../../kube/types.ts";

/** Name of the pod and of its container. */
export const podName = "class-archive";

/** Input of the pod. */
interface ClassArchivePod {
  /** E.g. `spark:4.3.0`. */
  readonly image: string;
  /** Shell script that makes the archive; its argument is the directory. */
  readonly script: string;
  /** Directory of this machine for the archive. */
  readonly directory: string;
}

/** Builds a pod that makes the class data archive at the paths that Spark has in other pods, because Java compares the paths. */
export function classArchivePod({ image, script, directory }: ClassArchivePod): Pod {
  const mountPath = "/opt/class-sharing";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: podName, namespace: "default" },
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          ...{ name: podName, image, command: ["bash", "-c", script, "prepare", mountPath] },
          // The directory belongs to the user of this process.
          securityContext: { runAsUser: 0 },
          volumeMounts: [{ name: "archive", mountPath }],
        },
      ],
      volumes: [{ name: "archive", hostPath: { path: directory } }],
    },
  };
}
