import type { Repository } from "./repository.ts";

/** Inputs of a resolution that can change its result. Repositories add to it what they read. */
export interface ResolutionInputs {
  /** Absolute paths of files in local repositories. */
  readonly files: Set<string>;
  /** Whether the next resolution can find other jars although no file has changed: a list of versions was read, or a server failed. */
  isVolatile: boolean;
}

/** Starts to record the inputs of a resolution. */
export function startInputs(): ResolutionInputs {
  return { files: new Set(), isVolatile: false };
}

/** Records the files that a resolution reads in a directory with Maven's layout, and whether it lists versions there. */
export function observedDirectory(repository: Repository, directory: string, inputs: ResolutionInputs): Repository {
  return {
    ...observed(repository, (path) => inputs.files.add(`${directory}/${path}`)),
    async list(path) {
      inputs.isVolatile = true;
      return repository.list(path);
    },
  };
}

/** Records whether a resolution reads lists of versions or of snapshot builds. */
export function observedVersions(repository: Repository, inputs: ResolutionInputs): Repository {
  return observed(repository, (path) => {
    if (path.endsWith("maven-metadata.xml")) inputs.isVolatile = true;
  });
}

/** Records whether a resolution finds anything in a repository whose files change. */
export function observedChanges(repository: Repository, inputs: ResolutionInputs): Repository {
  return observed(repository, () => {
    inputs.isVolatile = true;
  });
}

function observed(repository: Repository, onFound: (path: string) => void): Repository {
  return {
    ...repository,
    async read(path) {
      const bytes = await repository.read(path);
      if (bytes !== undefined) onFound(path);
      return bytes;
    },
    async download(path, into) {
      const isFound = await repository.download(path, into);
      if (isFound) onFound(path);
      return isFound;
    },
  };
}
