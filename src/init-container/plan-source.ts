import { type HttpConnections, httpConnections } from "../net/http-connections.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import type { BundleSource, LocalizeSource, PushSource, RemoteSource } from "../staging-client/localize-config.ts";
import { printPlainUrl } from "../staging-client/server-url.ts";
import { bundleUrl, fetchManifest } from "./bundle-manifest.ts";
import type { Download } from "./download.ts";
import type { EntryNames } from "./entry-names.ts";
import type { ServerAccess } from "./get.ts";
import type { IncomingDirectory } from "./incoming-file.ts";
import { LocalizeError } from "./localize-error.ts";
import type { LocalizedFiles, LocalizeRun } from "./localize-run.ts";
import { pushedEntries } from "./push/pushed-entries.ts";
import { receivePush } from "./push/receive-push.ts";
import type { SecretFiles } from "./secret-files.ts";

/** Inputs that all sources of one run share. */
export interface SourceTools {
  readonly secrets: SecretFiles;
  readonly incoming: IncomingDirectory;
  readonly names: EntryNames;
}

/** Work that localizes files. @throws LocalizeError */
export type Work = (run: LocalizeRun) => Promise<LocalizedFiles>;

/** Work for one source: downloads with known destinations, and other work. */
interface SourcePlan {
  readonly downloads: readonly Download[];
  readonly works: readonly Work[];
  /** Total size of the files that `works` will localize, as far as it is known. */
  readonly workBytes: number;
}

/** Lists the files of a source and assigns their names. Downloads only manifests. @throws LocalizeError */
export async function planSource(run: LocalizeRun, source: LocalizeSource, tools: SourceTools): Promise<SourcePlan> {
  switch (source.kind) {
    case "bundle":
      return { downloads: await planBundle(run, source, tools), works: [], workBytes: 0 };
    case "remote":
      return { downloads: planRemote(run, source, tools), works: [], workBytes: 0 };
    case "push":
      return planPush(source, tools);
  }
}

async function planBundle(run: LocalizeRun, source: BundleSource, tools: SourceTools): Promise<readonly Download[]> {
  const access = accessTo(run, source, {
    authorization: `Bearer ${tools.secrets.get(source.tokenFile)}`,
    secrets: tools.secrets,
  });
  const entries = await fetchManifest(run, source, access);
  return entries.flatMap(({ kind, name, digest, size, executable }, index) => {
    const origin = `bundle ${source.bundleId} of ${source.server}`;
    const destination = tools.names.claim({ kind, name, origin, identity: digest });
    if (destination === undefined) return [];
    const url = new URL(`${bundleUrl(source).href}/entries/${index}`);
    const request = { ...access, url, shown: `${destination.entry} of ${origin}` };
    return { ...destination, digest, size, executable, request };
  });
}

function planRemote(run: LocalizeRun, source: RemoteSource, { names, secrets }: SourceTools): readonly Download[] {
  const locations = parseLocations(secrets.get(source.urlsFile) ?? "");
  if (locations?.length !== source.entries.length) {
    const message = `${source.urlsFile} must be a list of ${source.entries.length} items, each an http or https URL or a list of them`;
    throw new LocalizeError("badConfig", message);
  }
  const access = accessTo(run, source, { authorization: undefined, secrets });
  return source.entries.flatMap(({ kind, name, digest, size, executable = false }, index) => {
    const [url, ...alternatives] = locations[index] ?? [];
    if (url === undefined) return [];
    // The query can grant access, so it must not appear in messages.
    const origin = printPlainUrl(url.href);
    const destination = names.claim({ kind, name, origin, identity: digest ?? url.href });
    if (destination === undefined) return [];
    const request = { ...access, url, shown: origin };
    return { ...destination, digest, size, executable, request, alternatives };
  });
}

/** Parses the URLs of each entry. Returns `undefined` if the text is not such a list. */
function parseLocations(text: string): readonly (readonly URL[])[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(json)) return undefined;
  const locations = json.map((location: unknown) => [location].flat());
  const areValid = locations.every((urls) => urls.length > 0 && urls.every(isHttpUrl));
  return areValid ? locations.map((urls) => urls.map((url) => new URL(String(url)))) : undefined;
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function planPush(source: PushSource, tools: SourceTools): SourcePlan {
  const secret = tools.secrets.get(source.secretFile) ?? "";
  const entries = pushedEntries(source.entries, tools);
  const { keyFile, certificateFile } = source;
  if ((keyFile === undefined) !== (certificateFile === undefined))
    throw new LocalizeError("badConfig", "keyFile and certificateFile must be specified together");
  const [key, cert] = [keyFile, certificateFile].map((path) => path && tools.secrets.get(path));
  const tls = key === undefined || cert === undefined ? undefined : { key, cert };
  const work: Work = (all) => receivePush(all, source, { secret, entries, tls });
  return { downloads: [], works: [work], workBytes: entries.totalBytes };
}

function accessTo(
  run: LocalizeRun,
  { authorityFile }: Pick<BundleSource, "authorityFile">,
  { authorization, secrets }: { authorization: string | undefined; secrets: SecretFiles },
): ServerAccess {
  const authority = authorityFile === undefined ? undefined : secrets.get(authorityFile);
  const connections = openConnections(run, authority);
  return { authorization, connections, otherConnections: openConnections(run) };
}

/** Opens connections that use the proxy of the environment, if one is set. */
function openConnections({ host: { clock, env } }: LocalizeRun, authority?: string): HttpConnections {
  return httpConnections({ clock, authority, findProxy: (server) => proxyFor(server, env) });
}
