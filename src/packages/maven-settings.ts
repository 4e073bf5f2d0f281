import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { childrenOf, childText, parseXml, type XmlElement } from "../values/xml.ts";

/** Repositories in Maven's settings. */
export interface MavenSettings {
  readonly mirrors: readonly Mirror[];
  /** Active proxies. */
  readonly proxies: readonly MavenProxy[];
  /** By server id. */
  readonly credentials: ReadonlyMap<string, Credentials>;
  readonly localRepository: string | undefined;
}

interface Mirror {
  readonly id: string;
  /** Names of repositories, separated by commas: `*`, `external:*`, `central`, `!name`. */
  readonly of: string;
  readonly url: string;
}

export interface MavenProxy extends Credentials {
  readonly id: string;
  /** Protocol of the proxied servers: `http`, `https`. */
  readonly protocol: string;
  /** `host:port`. */
  readonly address: string;
  /** Servers to connect to directly: `localhost|*.example.com`. */
  readonly nonProxyHosts: string;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/**
 * Reads `~/.m2/settings.xml`, and replaces `${env.NAME}` and `${user.home}`.
 *
 * @throws SubmitError `SUBMIT_ERR_MAVEN_SETTINGS` for invalid XML
 */
export function readMavenSettings(host: Host): MavenSettings {
  const path = `${host.user.home}/.m2/settings.xml`;
  const content = host.files.readText(path);
  if (content === undefined) return { mirrors: [], proxies: [], credentials: new Map(), localRepository: undefined };
  const settings = parseSettings(path, content);
  const replace = (value: string | undefined) =>
    value
      ?.replace(/\$\{env\.([^}]+)\}/g, (match, name: string) => host.env[name] ?? match)
      .replaceAll("${user.home}", host.user.home);
  const local = replace(childText(settings, "localRepository"));
  const text = (element: XmlElement, name: string) => replace(childText(element, name)) ?? "";
  return {
    mirrors: childrenOf(settings, "mirrors", "mirror").map((mirror) => ({
      id: childText(mirror, "id") ?? "",
      of: childText(mirror, "mirrorOf") ?? "",
      url: replace(childText(mirror, "url")) ?? "",
    })),
    proxies: childrenOf(settings, "proxies", "proxy")
      .filter((proxy) => childText(proxy, "active") !== "false")
      .map((proxy) => ({
        id: text(proxy, "id"),
        protocol: text(proxy, "protocol") || "http",
        address: `${text(proxy, "host")}:${text(proxy, "port") || "8080"}`,
        nonProxyHosts: text(proxy, "nonProxyHosts"),
        user: text(proxy, "username"),
        password: text(proxy, "password"),
      })),
    credentials: new Map(
      childrenOf(settings, "servers", "server").map((server) => [
        childText(server, "id") ?? "",
        {
          user: replace(childText(server, "username")) ?? "",
          password: replace(childText(server, "password")) ?? "",
        },
      ]),
    ),
    localRepository: local === "" ? undefined : local,
  };
}

function parseSettings(path: string, content: string): XmlElement {
  try {
    return parseXml(content);
  } catch (error) {
    throw submitError("SUBMIT_ERR_MAVEN_SETTINGS", { path, reason: messageOf(error) }, { cause: error });
  }
}

/** Returns the mirror of a repository like Maven: by its name first, then by patterns. */
export function mirrorOf(mirrors: readonly Mirror[], name: string): Mirror | undefined {
  return mirrors.find(({ of }) => of === name) ?? mirrors.find(({ of }) => isMirrored(of, name));
}

function isMirrored(of: string, name: string): boolean {
  const patterns = of.split(",").map((pattern) => pattern.trim());
  if (patterns.includes(`!${name}`)) return false;
  return patterns.some((pattern) => pattern === "*" || pattern === "external:*" || pattern === name);
}
