import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";
import { messageOf } from "../errors/message-of.ts";
import { parseXml, type XmlElement } from "../values/xml.ts";
import type { Credentials } from "./maven-settings.ts";

/** Repositories in an Ivy settings file. */
export interface IvySettings {
  /** In search order; without a URL, Ivy's default. */
  readonly repositories: readonly { readonly name: string; readonly url: string | undefined }[];
  /** By host. */
  readonly credentials: ReadonlyMap<string, Credentials>;
}

/** Location of the file, and the properties that its `${…}` may reference. */
interface IvyFile {
  readonly path: string;
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Pattern of Maven's layout; Ivy's own layouts have other files. */
const mavenLayout = /^(.*?)\/?\[organi[sz]ation\]\/\[module\]\/\[revision\]\/\[artifact\]-\[revision\]/;

/**
 * Reads a file of settings for Ivy: properties, credentials, and the default resolver of chains, `ibiblio`, and `filesystem` and `url`
 * with Maven's layout.
 *
 * Source: Ivy's documentation of settings files.
 */
export function parseIvySettings(file: IvyFile): Result<IvySettings> {
  const invalid = (reason: string): Issue =>
    issue("SUBMIT_ERR_IVY_SETTINGS", { path: file.path, reason: `cannot be used: ${reason}` });
  let root: XmlElement;
  try {
    root = parseXml(file.text);
  } catch (error) {
    return { ok: false, issues: [invalid(messageOf(error))] };
  }
  const replace = replacer(root, file);
  const first = elements(root, "settings")[0]?.attributes["defaultResolver"];
  if (first === undefined) return { ok: false, issues: [invalid("it has no <settings defaultResolver=…>")] };
  const resolvers = new Resolvers(root, replace);
  const repositories = resolvers.follow(replace(first));
  return unlessIssues(resolvers.problems.map(invalid), {
    repositories,
    credentials: credentialsIn(root, replace),
  });
}

/** Resolvers of a settings file, by name. */
class Resolvers {
  readonly problems: string[] = [];
  private readonly byName: ReadonlyMap<string, XmlElement>;
  private readonly replace: (text: string) => string;

  constructor(root: XmlElement, replace: (text: string) => string) {
    const resolvers = elements(root, "resolvers").flatMap(({ children }) => children);
    this.byName = new Map(flattenChains(resolvers).map((one) => [one.attributes["name"] ?? "", one]));
    this.replace = replace;
  }

  /** Returns the repositories of a resolver, in search order. */
  follow(name: string, within: readonly string[] = []): IvySettings["repositories"] {
    const element = this.byName.get(name);
    if (element !== undefined && !within.includes(name)) return this.expand(element, [...within, name]);
    this.problems.push(element === undefined ? `there is no resolver ${name}` : `the resolver ${name} contains itself`);
    return [];
  }

  private expand(element: XmlElement, within: readonly string[]): IvySettings["repositories"] {
    const { name: kind, attributes, children } = element;
    const name = attributes["name"] ?? attributes["ref"] ?? kind;
    if (kind === "chain") return children.flatMap((child) => this.expand(child, within));
    if (kind === "resolver") return this.follow(name, within);
    const url = kind === "ibiblio" ? attributes["root"] : mavenRoot(element);
    const hasUrl = kind === "ibiblio" || (["filesystem", "url"].includes(kind) && url !== undefined);
    if (hasUrl && attributes["m2compatible"] === "true")
      return [{ name, url: url === undefined ? undefined : toUrl(this.replace(url)) }];
    this.problems.push(
      `the resolver ${name} (${kind}) does not have Maven's layout; supported are chain, and with m2compatible="true" ibiblio, filesystem and url`,
    );
    return [];
  }
}

function elements(root: XmlElement, name: string): readonly XmlElement[] {
  return root.children.filter((child) => child.name === name);
}

function flattenChains(resolvers: readonly XmlElement[]): readonly XmlElement[] {
  return resolvers.flatMap((one) => [one, ...(one.name === "chain" ? flattenChains(one.children) : [])]);
}

function mavenRoot({ children }: XmlElement): string | undefined {
  const pattern = children.find(({ name }) => name === "artifact")?.attributes["pattern"];
  return pattern === undefined ? undefined : mavenLayout.exec(pattern)?.[1];
}

function toUrl(location: string): string {
  return location.startsWith("/") ? `file:${location}` : location;
}

function credentialsIn(root: XmlElement, replace: (text: string) => string): ReadonlyMap<string, Credentials> {
  const all = [...elements(root, "credentials"), ...elements(root, "credentials").flatMap(({ children }) => children)];
  return new Map(
    all
      .filter(({ attributes }) => attributes["host"] !== undefined)
      .map(({ attributes }) => [
        replace(attributes["host"] ?? ""),
        { user: replace(attributes["username"] ?? ""), password: replace(attributes["passwd"] ?? "") },
      ]),
  );
}

/** Replaces `${…}` by properties of the file, Ivy's own ones, and environment variables with the prefix that the file sets. */
function replacer(root: XmlElement, { path, env, home }: IvyFile): (text: string) => string {
  const properties = new Map([
    ["user.home", home],
    ["ivy.settings.dir", path.slice(0, path.lastIndexOf("/"))],
    ["ivy.default.ivy.user.dir", `${home}/.ivy2`],
  ]);
  const replace = (text: string): string =>
    text.replace(/\$\{([^}]+)\}/g, (match, name: string) => properties.get(name) ?? match);
  for (const { attributes } of elements(root, "property")) {
    const { name, value, environment } = attributes;
    if (environment !== undefined)
      for (const [key, text] of Object.entries(env)) properties.set(`${environment}.${key}`, text ?? "");
    if (name !== undefined && !properties.has(name)) properties.set(name, replace(value ?? ""));
  }
  return replace;
}
