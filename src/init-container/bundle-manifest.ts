import * as v from "valibot";
import { messageOf } from "../errors/message-of.ts";
import { readText } from "../net/http-connections.ts";
import type { BundleEntry } from "../staging-client/bundle.ts";
import type { BundleSource } from "../staging-client/localize-config.ts";
import { apiRoot } from "../staging-client/protocol.ts";
import { routeOf } from "../staging-client/server-url.ts";
import { bundleEntriesShape, type Validated, validate } from "../staging-client/validate.ts";
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
  const { value, problems } = parseManifest(text);
  if (problems === undefined) return value.entries;
  throw new LocalizeError("integrity", `${shown} has an invalid manifest: ${problems.join("; ")}`);
}

const manifestShape = v.object({ entries: bundleEntriesShape }, "an object");

function parseManifest(text: string): Validated<{ readonly entries: readonly BundleEntry[] }> {
  try {
    return validate(manifestShape, JSON.parse(text));
  } catch (error) {
    return { problems: [messageOf(error)] };
  }
}
