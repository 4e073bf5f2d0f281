import type { Mount } from "../sandbox/sandbox.ts";

/** What an image name means on this machine: a root made of mounts, and the image's own configuration. */
export interface Image {
  /** As asked for, e.g. `spark:4.3.0`. */
  readonly reference: string;
  /** `sha256:…` of the recipe. */
  readonly id: string;
  readonly mounts: readonly Mount[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that take a field of the pod, e.g. `SPARK_LOCAL_IP` from `status.podIP`. */
  readonly fieldEnv: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly uid: number;
  readonly gid: number;
  /** Its `/etc/passwd`. */
  readonly users: string;
}

/** An image, or why there is none, in Kubernetes' words. */
export type ImageResult = { readonly image: Image } | ImageFailure;

/** Why there is no image. */
export interface ImageFailure {
  readonly reason: "ErrImagePull" | "InvalidImageName";
  readonly message: string;
}

/** Finds images by reference. */
export interface Images {
  /** What is here, or how to get it. `fetch` never rejects; several at once fetch once. */
  readonly find: (reference: string) => Promise<ImageResult | { readonly fetch: () => Promise<ImageResult> }>;
}
