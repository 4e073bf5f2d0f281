import { messageOf } from "../errors/message-of.ts";
import { readText } from "../net/http-connections.ts";
import { type BundleEntry, entryKinds, isEntryName } from "../staging-client/bundle.ts";
import { jsonObject } from "../staging-client/json-object.ts";
import type { BundleSource } from "../staging-client/localize-config.ts";
import { apiRoot } from "../staging-client/protocol.ts";
import { routeOf } from "../staging-client/server-url.ts";
import { get, type ServerAccess } from "./get.ts";
import { LocalizeError, networkError } from "./localize-error.ts";
import { type LocalizeRun, retryTransient } from "./localize-run.ts";

/** Returns the URL of a bundle's manifest. */
export function bundleUrl({ server, bundleId }: BundleSource): URL {
  return routeOf(server, `${apiRoot}/bundles/${encodeURIComponent(bundleId)}`);
}

/**
 * Fetches and validates the manifest of a bundle, because the manifest decides where files are written.
 *
 * @throws LocalizeError
 */
export async function fetchManifest(
  run: LocalizeRun,
  source: BundleSource,
  access: ServerAccess,
): Promise<readonly BundleEntry[]> {
  const shown = `bundle ${source.bundleId} of ${source.server}`;
  const text = await retryTransient(run, async () => {
    const response = await get({ ...access, url: bundleUrl(source), shown, signal: run.signal });
    return readText(response).catch((error: unknown) => {
      throw networkError(error, shown);
    });
  });
  const problems: string[] = [];
  const entries = parseManifest(text, problems);
  if (problems.length === 0) return entries;
  throw new LocalizeError("integrity", `${shown} has an invalid manifest: ${problems.join("; ")}`);
}

function parseManifest(text: string, problems: string[]): readonly BundleEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    problems.push(messageOf(error));
    return [];
  }
  return jsonObject(value, "", problems)
    .objects("entries")
    .map((entry) => ({
      kind: entry.choice("kind", entryKinds),
      name: entry.text("name", isEntryName, "a safe base name"),
      digest: entry.digest("digest"),
      size: entry.number("size", 0),
      executable: entry.flag("executable"),
    }));
}
