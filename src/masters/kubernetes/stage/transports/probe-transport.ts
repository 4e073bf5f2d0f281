import { isSubmitError, messageOf, type SubmitError, submitError } from "../../../../errors/submit-error.ts";
import type { Host } from "../../../../host/host.ts";
import { withResponseTimeout } from "../../../../net/with-response-timeout.ts";
import type { DriverConf } from "../../../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../../../plan/localized-dependencies.ts";
import type { LocalizedEntry } from "../../../../plan/transports/localized-entry.ts";
import type { ServerInfo } from "../../../../staging-client/protocol.ts";
import { TransientError } from "../../../../staging-client/retry.ts";
import { printPlainUrl } from "../../../../staging-client/server-url.ts";
import { openStagingServer } from "./open-staging-server.ts";
import { keyOf, openStagingBucket, type StagingBucket } from "./staging-bucket.ts";

/** The files of a submission. */
export interface TransportProbe {
  readonly host: Host;
  readonly driver: Pick<DriverConf, "conf" | "namespace">;
  readonly localized: LocalizedDependencies;
}

/** Time for the responses. */
const timeoutMs = 5000;

/**
 * Asks the staging server what a submission asks it first: its limits, and which files it lacks. Tries once, and sends no file.
 *
 * @throws SUBMIT_ERR_STAGING_REJECTED, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_FILE_UNREADABLE
 */
export async function probeServer({ host, driver, localized }: TransportProbe): Promise<ServerInfo> {
  const { conf, namespace } = driver;
  const server = openStagingServer(host, conf);
  try {
    return await withResponseTimeout(host.clock, timeoutMs, (signal) =>
      server.client.probe({ files: localized.entries, namespace, signal }),
    );
  } catch (error) {
    if (isSubmitError(error)) throw error;
    const fields = { server: printPlainUrl(server.url), reason: messageOf(error), isKept: false };
    throw submitError("SUBMIT_ERR_STAGING_UNREACHABLE", fields, { cause: error });
  } finally {
    server.client.close();
  }
}

/** Returns whether a submission repeats a failed request, because the server is overloaded. */
export function isRepeated({ cause }: SubmitError): boolean {
  return cause instanceof TransientError;
}

async function probeKey(
  { clock }: Host,
  opened: StagingBucket,
  { path, digest }: Pick<LocalizedEntry, "path" | "digest">,
): Promise<void> {
  const { bucket } = opened;
  try {
    await withResponseTimeout(clock, timeoutMs, (signal) =>
      bucket.info(keyOf(opened, digest), { signal, maxAttempts: 1 }),
    );
  } catch (error) {
    if (isSubmitError(error)) throw error;
    const fields = { bucket: bucket.shown, path, reason: messageOf(error) };
    throw submitError("SUBMIT_ERR_STAGING_S3", fields, { cause: error });
  }
}

/**
 * Asks the bucket whether it has a file of a submission: its address and the credentials must be valid. Tries once.
 *
 * @returns the address, for messages
 * @throws SUBMIT_ERR_STAGING_S3, SUBMIT_ERR_FILE_UNREADABLE
 */
export async function probeBucket({ host, driver, localized }: TransportProbe): Promise<string> {
  const opened = openStagingBucket(host, driver.conf);
  const { shown } = opened.bucket;
  try {
    for (const { path, digest } of localized.entries.slice(0, 1)) await probeKey(host, opened, { path, digest });
    return shown;
  } finally {
    opened.bucket.close();
  }
}
