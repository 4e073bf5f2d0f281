import type { Mount } from "../sandbox/sandbox.ts";

/** Image available on this machine: a root made of mounts, and the image's own configuration. */
export interface Image {
  /** As requested, e.g. `spark:4.3.0`. */
  readonly reference: string;
  /** `sha256:…` of the recipe. */
  readonly id: string;
  readonly mounts: readonly Mount[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables whose value is a field of the pod, e.g. `SPARK_LOCAL_IP` from `status.podIP`. */
  readonly fieldEnv: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly uid: number;
  readonly gid: number;
  /** Content of `/etc/passwd`. */
  readonly users: string;
}

/** An image, or the failure to find it with Kubernetes' message. */
export type ImageResult = { readonly image: Image } | ImageFailure;

/** Reason and message of an image that is not available. */
export interface ImageFailure {
  readonly reason: "ErrImagePull" | "InvalidImageName";
  readonly message: string;
}

/** An image that is on this machine, for the status of the node. */
export interface ListedImage {
  /** Complete names, e.g. `docker.io/library/spark:4.3.0`. */
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** Lookup of images by reference. */
export interface Images {
  /** Lists the images that need no fetch, except those of this machine's programs. Returns the same list while nothing changes. */
  readonly list: () => readonly ListedImage[];
  /**
   * Returns the image, or `fetch` when it must be fetched first. `fetch` never rejects; concurrent calls fetch once.
   */
  readonly find: (reference: string) => Promise<ImageResult | { readonly fetch: () => Promise<ImageResult> }>;
}
