/** Parts of an image name; for `apache/spark:3.5.1` the repository is `docker.io/apache/spark`. */
export interface ImageReference {
  readonly repository: string;
  /** `latest` when there is neither tag nor digest. */
  readonly tag: string | undefined;
}

/**
 * Parses an image name as the kubelet does.
 *
 * Source: the distribution project's grammar of image references; messages of the kubelet 1.35.
 * @returns the parts, or the reason why the name is invalid.
 */
export function parseImageReference(text: string): ImageReference | { readonly problem: string } {
  const { path, tag, hasDigest } = splitName(text);
  const [first = "", ...rest] = path.split("/");
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = hasRegistry ? first : "docker.io";
  const remote = hasRegistry ? rest.join("/") : rest.length === 0 ? `library/${first}` : path;
  const isRemote = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/.test(remote);
  const isTag = tag === undefined || /^\w[\w.-]{0,127}$/.test(tag);
  if (isRemote && isTag) {
    return { repository: `${registry}/${remote}`, tag: tag ?? (hasDigest ? undefined : "latest") };
  }
  const why = /[A-Z]/.test(remote)
    ? `invalid reference format: repository name (${remote}) must be lowercase`
    : "invalid reference format";
  return { problem: `Failed to apply default image tag "${text}": couldn't parse image name "${text}": ${why}` };
}

/** Formats a reference as messages show it: `docker.io/library/spark:4.3.0`. */
export function printImageReference({ repository, tag }: ImageReference): string {
  return `${repository}${tag === undefined ? "" : `:${tag}`}`;
}

function splitName(text: string): { path: string; tag: string | undefined; hasDigest: boolean } {
  const [name = "", digest] = text.split("@");
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const path = colon === -1 ? name : name.slice(0, colon);
  return { path, tag: colon === -1 ? undefined : name.slice(colon + 1), hasDigest: digest !== undefined };
}
