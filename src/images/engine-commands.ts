/** Programs that build images, in the order in which they are tried. */
export const engineNames = ["docker", "podman", "buildah"] as const;

export type EngineName = (typeof engineNames)[number];

/** Formats of image files, with the names of the containers project's transports. */
export const archiveFormats = ["oci-archive", "docker-archive"] as const;

/** File that an image is written to. */
export interface ImageArchive {
  readonly format: (typeof archiveFormats)[number];
  /** Absolute path. */
  readonly path: string;
}

/** Input of a build. */
export interface BuildInput {
  readonly tag: string;
  /** Directory of the Dockerfile, whose files it copies. */
  readonly directory: string;
  /** Further directories that it copies files from, by their name in the Dockerfile. */
  readonly contexts: Readonly<Record<string, string>>;
  readonly args: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the arguments of an engine that build an image and give it a name at the end. */
export function buildArguments({ tag, directory, contexts, args, labels }: BuildInput): readonly string[] {
  const repeated = (option: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([key, value]) => [option, `${key}=${value}`]);
  return [
    "build",
    ...repeated("--build-context", contexts),
    ...repeated("--build-arg", args),
    ...repeated("--label", labels),
    ...["--tag", tag, directory],
  ];
}

/** Returns the arguments of an engine that upload an image to the registry in its name. */
export function pushArguments(engine: EngineName, tag: string): readonly string[] {
  // As Docker does: a registry on this machine may speak plain HTTP.
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?\//.test(tag);
  return ["push", ...(engine !== "docker" && isLoopback ? ["--tls-verify=false"] : []), tag];
}

/** Returns the arguments of an engine that write an image to a file. */
export function archiveArguments(engine: EngineName, tag: string, { format, path }: ImageArchive): readonly string[] {
  switch (engine) {
    case "buildah":
      return ["push", tag, `${format}:${path}:${tag}`];
    case "podman":
      return ["save", "--format", format, "--output", path, tag];
    case "docker":
      // Since Docker 25, the file is both: a Docker archive and an OCI archive.
      return ["save", "--output", path, tag];
  }
}
