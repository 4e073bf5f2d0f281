import { messageOf } from "../errors/message-of.ts";
import { type BundleEntry, entryKinds, isEntryName } from "../staging-client/bundle.ts";
import { type JsonObject, jsonObject } from "../staging-client/json-object.ts";
import type {
  BundleSource,
  LocalizeConfig,
  LocalizeSource,
  PushSource,
  RemoteSource,
  SignedSource,
  TarballSource,
} from "../staging-client/localize-config.ts";

/** A valid configuration, or all problems of an invalid one; each problem names its key. */
export type ParsedConfig =
  | { readonly config: LocalizeConfig; readonly problems?: undefined }
  | { readonly config?: undefined; readonly problems: readonly string[] };

/** Parses the init container's configuration. Rejects unknown keys, because they are probably typos. */
export function parseLocalizeConfig(text: string): ParsedConfig {
  const problems: string[] = [];
  const value = parseJson(text, problems);
  const root = jsonObject(value, "", problems);
  const config: LocalizeConfig = {
    directory: root.text("directory", isAbsolutePath, "an absolute path"),
    sources: root.objects("sources").map(parseSource),
    ...root.optionalNumber("parallel", 1),
    ...root.optionalNumber("timeoutSeconds", 1),
  };
  root.refuseOthers();
  return problems.length === 0 ? { config } : { problems };
}

function parseJson(text: string, problems: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    problems.push(`it is not JSON: ${messageOf(error)}`);
    return {};
  }
}

function parseSource(source: JsonObject): LocalizeSource {
  const kind = source.choice("kind", ["bundle", "tarball", "remote", "signed", "push"]);
  const parsed = parsers[kind](source);
  source.refuseOthers();
  return parsed;
}

const parsers: { readonly [K in LocalizeSource["kind"]]: (source: JsonObject) => LocalizeSource } = {
  bundle: (source): BundleSource => ({
    kind: "bundle",
    server: source.text("server", isServer, "an http or https URL"),
    bundleId: source.text("bundleId"),
    tokenFile: source.text("tokenFile"),
    ...source.optionalText("authorityFile"),
  }),
  tarball: (source): TarballSource => ({
    kind: "tarball",
    server: source.text("server", isServer, "an http or https URL"),
    resourceId: source.text("resourceId"),
    secretFile: source.text("secretFile"),
    entryKind: source.choice("entryKind", entryKinds),
    ...source.optionalNumber("totalBytes", 0),
    ...source.optionalText("authorityFile"),
  }),
  remote: (source): RemoteSource => ({
    kind: "remote",
    entries: source.objects("entries").map((entry) => {
      const parsed = {
        kind: entry.choice("kind", entryKinds),
        name: entry.text("name", isEntryName, nameRule),
        uri: entry.text("uri", isServer, "an http or https URL; other schemes are left to Spark"),
        ...entry.optionalDigest("digest"),
        ...entry.optionalNumber("size", 0),
        ...entry.optionalFlag("executable"),
      };
      entry.refuseOthers();
      return parsed;
    }),
  }),
  signed: (source): SignedSource => ({
    kind: "signed",
    urlsFile: source.text("urlsFile"),
    entries: source.objects("entries").map(parseEntry),
    ...source.optionalText("authorityFile"),
  }),
  push: (source): PushSource => ({
    kind: "push",
    port: source.number("port", 0, 65_535),
    secretFile: source.text("secretFile"),
    entries: source.objects("entries").map(parseEntry),
    ...source.optionalNumber("clientTimeoutSeconds", 1),
  }),
};

function parseEntry(entry: JsonObject): BundleEntry {
  const parsed = {
    kind: entry.choice("kind", entryKinds),
    name: entry.text("name", isEntryName, nameRule),
    digest: entry.digest("digest"),
    size: entry.number("size", 0),
    executable: entry.flag("executable"),
  };
  entry.refuseOthers();
  return parsed;
}

const nameRule = "at most 255 of the characters A-Z a-z 0-9 . _ -";

function isAbsolutePath(text: string): boolean {
  return text.startsWith("/") && !text.includes("\0");
}

function isServer(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
