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
  readonly workingDirectory: string;
  readonly uid: number;
  readonly gid: number;
}

/** Finds images by reference. */
export interface Images {
  /** The image, or why there is none, in Kubernetes' words (`reason` is ErrImagePull or InvalidImageName). */
  readonly find: (
    reference: string,
  ) => { readonly image: Image } | { readonly reason: string; readonly message: string };
}
