/** Version of the layout of a bundle. Later versions can add files and properties. */
export const bundleVersion = 1;

/** Content of `bundle.json`. */
export interface BundleManifest {
  readonly version: number;
  /** Time at which it was made, in RFC 3339. */
  readonly created: string;
  readonly application: {
    /** Application ID, `spark-…`; empty for a pod that is not of Spark. */
    readonly id: string;
    readonly name: string;
    readonly namespace: string;
    /** Name of the driver's pod. */
    readonly driver: string;
    /** URL of the API. */
    readonly server: string;
    /** Phase of the driver's pod, e.g. `Failed`. */
    readonly phase: string;
  };
  readonly pods: readonly BundledPod[];
  /** Parts that could not be read. */
  readonly missing: readonly MissingPart[];
}

/** A pod in a bundle. */
export interface BundledPod {
  readonly name: string;
  readonly role: "driver" | "executor";
  /** Whether the pod did not exist any more. */
  readonly deleted: boolean;
  /** Path of its object. */
  readonly file: string;
  readonly logs: readonly BundledLog[];
}

/** Log of a container in a bundle. */
export interface BundledLog {
  readonly container: string;
  /** Whether it is the log before the last restart. */
  readonly previous: boolean;
  readonly file: string;
  /** Bytes at its beginning that exceeded the limit. */
  readonly omittedBytes: number;
}

/** A part that is missing in a bundle. */
export interface MissingPart {
  /** E.g. `events`, or `log of executor-1 in pi-exec-1`. */
  readonly what: string;
  readonly reason: string;
}

/** Names of the files. */
export const bundleFiles = {
  manifest: "bundle.json",
  record: "record.json",
  diagnosis: "diagnosis.json",
  events: "events.json",
} as const;

/** Returns the path of a pod's object. */
export function podFile(pod: string): string {
  return `pods/${pathPart(pod)}.json`;
}

/** Returns the path of a log. */
export function logFile(pod: string, container: string, isPrevious: boolean): string {
  return `logs/${pathPart(pod)}/${pathPart(container)}${isPrevious ? ".previous" : ""}.log`;
}

/** Replaces what a name of Kubernetes cannot have, so that no response of an API leads to another directory. */
function pathPart(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
}
