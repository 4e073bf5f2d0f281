/** A request, as far as its URL goes. */
export interface NamedTarget {
  /** With query; names in it are escaped. */
  readonly target: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * Where a request goes whose names stand in its URL as they are: `?` begins the query, `#` ends it all, and `%41` is `A` to
 * the server.
 *
 * Source: Spark's Kubernetes client library, URLUtils; recorded with Spark 4.3.0.
 */
export function rawTarget({ target, namespace, name }: NamedTarget): string {
  const [path = "", query] = target.split("?");
  const spelt = namespace === undefined ? path : spell(path, `/namespaces/${escaped(namespace)}`, namespace);
  const nameAt = name === undefined ? spelt.length : spelt.lastIndexOf(`/${escaped(name)}`);
  const [place = "", ...ownQuery] = spelt.slice(0, nameAt).split(/\?(.*)/s, 2);
  const rest = name === undefined ? "" : spell(spelt.slice(nameAt), `/${escaped(name)}`, name);
  const url = [`${place}${rest}`.replace(/\/{2,}/g, "/"), ...ownQuery].join("?");
  const [beforeFragment = ""] =
    `${url}${query === undefined ? "" : `${url.includes("?") ? "&" : "?"}${query}`}`.split("#");
  return beforeFragment.replace(/\/(?=\?|$)/, "");
}

function spell(path: string, begin: string, name: string): string {
  return path.replace(begin, () => `${begin.slice(0, begin.lastIndexOf("/") + 1)}${name}`);
}

function escaped(name: string): string {
  return encodeURIComponent(name);
}
