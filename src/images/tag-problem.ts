/** Registry, path and tag of a name. */
const parts = /^(?:([^/]*[.:][^/]*|localhost)\/)?([^:@]*)(?::(.*))?$/s;

/** Returns the registry of a name; `undefined` if it names none, and engines use Docker Hub. */
export function registryOf(name: string): string | undefined {
  return parts.exec(name)?.[1];
}

/**
 * Returns why a name cannot be given to an image. A tag is required, because clusters pull `latest` again for each pod.
 *
 * Source: the distribution project's grammar of image references.
 */
export function tagProblem(name: string): string | undefined {
  const [, registry, path = "", tag] = parts.exec(name) ?? [];
  if (name.includes("@")) return "a digest cannot be given to an image";
  if (registry !== undefined && !/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d+)?$/.test(registry))
    return `${registry} is not the address of a registry`;
  if (/[A-Z]/.test(path)) return "it has capital letters";
  if (!/^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/.test(path))
    return `${path === "" ? "the part before the tag" : path} is not a name of letters, digits and single separators`;
  if (tag === undefined) return "it has no tag";
  return /^\w[\w.-]{0,127}$/.test(tag) ? undefined : `${tag} is not a tag`;
}
