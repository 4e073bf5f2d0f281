import { type Fields, isFields } from "../values/fields.ts";

/** Credentials for a registry. */
export interface PullCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Finds the credentials for an image in the data of a pull secret; `undefined` if it has none.
 *
 * Shape: `{".dockerconfigjson": base64 of {"auths": {"registry.example.com/team": {"auth": base64 of "name:password"}}}}`, or
 * `.dockercfg` with the content of `auths`. `*` in a host stands for a part of the name.
 * Source: Kubernetes, "Pull an Image from a Private Registry" and "Images: interpretation of config.json".
 *
 * @param repository with its registry, e.g. `docker.io/library/spark`
 */
export function findPullCredentials(data: unknown, repository: string): PullCredentials | undefined {
  if (!isFields(data)) return undefined;
  const config = parseBase64Json(data[".dockerconfigjson"]);
  const auths = isFields(config?.["auths"]) ? config["auths"] : (parseBase64Json(data[".dockercfg"]) ?? {});
  const found = Object.entries(auths).filter(([location]) => covers(location, repository));
  // The longest location is the most specific.
  const [first] = found.sort(([a], [b]) => b.length - a.length);
  return first === undefined ? undefined : credentialsOf(first[1]);
}

function covers(location: string, repository: string): boolean {
  const [host = "", ...path] = location
    .replace(/^https?:\/\//, "")
    .replace(/\/(?:v[12]\/?)?$/, "")
    .split("/");
  const [registry = "", ...names] = repository.split("/");
  const own = registry === "docker.io" ? ["docker.io", "index.docker.io", "registry-1.docker.io"] : [registry];
  return own.some((name) => coversHost(host, name)) && path.every((part, index) => names[index] === part);
}

function coversHost(pattern: string, host: string): boolean {
  const parts = pattern.split(".");
  const names = host.split(".");
  return parts.length === names.length && parts.every((part, index) => coversPart(part, names[index] ?? ""));
}

function coversPart(pattern: string, name: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.at(-1);
  if (end === undefined) return pattern === name;
  return rest.length === 1 && name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

function credentialsOf(entry: unknown): PullCredentials | undefined {
  if (!isFields(entry)) return undefined;
  const { auth, username, password } = entry;
  if (typeof username === "string" && typeof password === "string") return { username, password };
  if (typeof auth !== "string") return undefined;
  const text = Buffer.from(auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function parseBase64Json(value: unknown): Fields | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, "base64").toString("utf8"));
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
