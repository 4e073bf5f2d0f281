/** Names in the URL of a request. */
interface NamedTarget {
  /** With query; names in it are escaped. */
  readonly target: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * Builds the target of a request whose names are not escaped: `?` starts the query, `#` ends the target, and the server
 * decodes `%41` to `A`.
 *
 * Source: Spark's Kubernetes client library, URLUtils; recorded with Spark 4.3.0.
 */
export function rawTarget({ target, namespace, name }: NamedTarget): string {
  const [path = "", query] = target.split("?");
  const unescaped =
    namespace === undefined ? path : withoutEscapes(path, `/namespaces/${escaped(namespace)}`, namespace);
  const nameAt = name === undefined ? unescaped.length : unescaped.lastIndexOf(`/${escaped(name)}`);
  const [prefix = "", ...ownQuery] = unescaped.slice(0, nameAt).split(/\?(.*)/s, 2);
  const rest = name === undefined ? "" : withoutEscapes(unescaped.slice(nameAt), `/${escaped(name)}`, name);
  const url = [`${prefix}${rest}`.replace(/\/{2,}/g, "/"), ...ownQuery].join("?");
  const [beforeFragment = ""] = `${url}${query === undefined ? "" : `${url.includes("?") ? "&" : "?"}${query}`}`.split(
    "#",
  );
  return beforeFragment.replace(/\/(?=\?|$)/, "");
}

function withoutEscapes(path: string, segment: string, name: string): string {
  return path.replace(segment, () => `${segment.slice(0, segment.lastIndexOf("/") + 1)}${name}`);
}

function escaped(name: string): string {
  return encodeURIComponent(name);
}
