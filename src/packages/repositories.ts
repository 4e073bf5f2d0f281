import { type Issue, issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { basicAuthorization } from "../net/basic-authorization.ts";
import { percentDecoded } from "../values/percent-decoding.ts";
import { directoryRepository } from "./directory-repository.ts";
import { openFileStore } from "./file-store.ts";
import { proxiesOf } from "./find-proxy.ts";
import { openFileServers } from "./http-exchange.ts";
import { httpRepository } from "./http-repository.ts";
import { ivyCacheRepository } from "./ivy-cache-repository.ts";
import { ivyLocalRepository } from "./ivy-local-repository.ts";
import type { IvySettings } from "./ivy-settings.ts";
import { type Credentials, type MavenSettings, mirrorOf, readMavenSettings } from "./maven-settings.ts";
import type { Repository } from "./repository.ts";
import type { RemoteRepository } from "./repository-server.ts";
import {
  observedChanges,
  observedDirectory,
  observedVersions,
  type ResolutionInputs,
  startInputs,
} from "./resolution-inputs.ts";
import { withSnapshots } from "./snapshots.ts";
import { storedRepository } from "./stored-repository.ts";

/** Repositories to search. */
export interface RepositoryChoice {
  /** Additional repositories, after Spark's own. */
  readonly urls: readonly string[];
  /** Ivy's directory, absolute. */
  readonly ivyDirectory: string;
  readonly isOffline: boolean;
  /** Replaces Spark's own repositories and Maven's directory. */
  readonly ivySettings?: IvySettings | undefined;
  /** Gets what a resolution reads. @default not recorded */
  readonly inputs?: ResolutionInputs | undefined;
}

interface OpenRepositories {
  readonly repositories: readonly Repository[];
  readonly close: () => void;
}

const central = "https://repo.maven.apache.org/maven2/";
const sparkPackages = "https://repos.spark-packages.org/";

/** Returns Spark's default repositories, then the additional ones, each with the mirror and credentials of Maven's settings. */
function namedRepositories(
  env: Host["env"],
  settings: MavenSettings,
  { urls, ivySettings }: Pick<RepositoryChoice, "urls" | "ivySettings">,
): readonly RemoteRepository[] {
  const replaced = env["DEFAULT_ARTIFACT_REPOSITORY"];
  const defaults =
    replaced === undefined || replaced === ""
      ? [
          { name: "central", url: central },
          { name: "spark-packages", url: sparkPackages },
        ]
      : [{ name: "central", url: replaced }];
  const first = ivySettings?.repositories.map(({ name, url = central }) => ({ name, url })) ?? defaults;
  const more = urls.map((url, index) => ({ name: `repo-${index + 1}`, url }));
  return [...first, ...more].map((one) => withSettings(one, settings, ivySettings));
}

function withSettings(
  { name, url }: { name: string; url: string },
  settings: MavenSettings,
  ivySettings: IvySettings | undefined,
): RemoteRepository {
  const mirror = mirrorOf(settings.mirrors, name);
  const { address, credentials } = splitCredentials(mirror?.url ?? url);
  const host = /^https?:\/\/([^/:]+)/.exec(address)?.[1] ?? "";
  const known = credentials ?? settings.credentials.get(mirror?.id ?? name) ?? ivySettings?.credentials.get(host);
  return { name, url: address, authorization: known && basic(known) };
}

/** Reports unusable URLs without credentials. */
function addressProblems({ name, url }: RemoteRepository): readonly Issue[] {
  const isUsable = URL.canParse(url) && ["http:", "https:", "file:"].includes(new URL(url).protocol);
  return isUsable ? [] : [issue("SUBMIT_ERR_PACKAGE_REPOSITORY_URL", { name, url: url.replace(/^.*@/s, "") })];
}

/** Separates a URL from its user and password. The password may contain an unescaped `@`. */
function splitCredentials(url: string): { address: string; credentials: Credentials | undefined } {
  const [, scheme = "", userInfo = "", rest = ""] = /^(\w+:\/\/)([^/]*)@(.*)$/s.exec(url) ?? [];
  if (scheme === "") return { address: url, credentials: undefined };
  const [user = "", ...password] = userInfo.split(":");
  return {
    address: `${scheme}${rest}`,
    credentials: { user: percentDecoded(user), password: percentDecoded(password.join(":")) },
  };
}

function basic({ user, password }: Credentials): string {
  return basicAuthorization(user, password);
}

/**
 * Opens the repositories that Spark's resolver searches: Maven's directory, sbt's local repository, Ivy's cache,
 * Spark's repositories, and the specified ones.
 *
 * @throws SubmitError `SUBMIT_ERR_MAVEN_SETTINGS`, and `SUBMIT_ERR_PACKAGE_REPOSITORY_URL` for invalid addresses
 */
export async function openRepositories(
  host: Host,
  choice: RepositoryChoice,
  progress: Progress,
): Promise<OpenRepositories> {
  const settings = readMavenSettings(host);
  const { ivyDirectory, inputs = startInputs() } = choice;
  const store = openFileStore(host);
  const servers = await openFileServers(host, proxiesOf(host.env, settings.proxies));
  const named = namedRepositories(host.env, settings, choice);
  throwIssues(named.flatMap(addressProblems));
  const warn = (text: string) => {
    inputs.isVolatile = true;
    progress.note(text);
  };
  const remotes = named.map((remote) => {
    const { name, url } = remote;
    if (url.startsWith("file:")) return localRepository(host, { name, directory: directoryOf(url) }, inputs);
    const server = choice.isOffline
      ? undefined
      : httpRepository(host, remote, { servers, show: progress.transfer, warn });
    return withSnapshots(observedVersions(storedRepository(host, store, { name, url, remote: server }), inputs));
  });
  const local = localRepository(host, { name: "local-m2-cache", directory: mavenDirectory(host, settings) }, inputs);
  const ivy = ivyCacheRepository(host, `${ivyDirectory}/cache`);
  const published = observedChanges(ivyLocalRepository(host, `${ivyDirectory}/local`), inputs);
  const here = choice.ivySettings === undefined ? [local, published, ivy] : [ivy];
  return { repositories: [...here, ...remotes], close: servers.close };
}

function localRepository(
  host: Host,
  { name, directory }: { readonly name: string; readonly directory: string },
  inputs: ResolutionInputs,
): Repository {
  return observedDirectory(directoryRepository(host, name, directory), directory, inputs);
}

function mavenDirectory(host: Host, settings: MavenSettings): string {
  return settings.localRepository ?? `${host.user.home}/.m2/repository`;
}

/** Lists the repositories of a choice in the order in which they are searched: a name and an address without credentials each. */
export function repositoryAddresses(host: Host, choice: RepositoryChoice): readonly string[] {
  const settings = readMavenSettings(host);
  const remotes = namedRepositories(host.env, settings, choice).map(({ name, url }) => `${name} ${url}`);
  return [mavenDirectory(host, settings), choice.ivyDirectory, ...remotes];
}

function directoryOf(url: string): string {
  return percentDecoded(new URL(url).pathname).replace(/\/+$/, "");
}
