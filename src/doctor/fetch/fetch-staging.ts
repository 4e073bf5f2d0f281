import { isSubmitError, type SubmitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { isRepeated, probeBucket, probeServer } from "../../masters/kubernetes/stage/transports/probe-transport.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";

/** Facts about the way of the files of this machine to the driver. */
export type StagingFacts =
  /** `secret`: part of the objects. `push`: sent after the driver's pod has started. */
  | { readonly kind: "noFiles" | "secret" | "push" }
  /** Uploaded to a file system, which is not asked. */
  | { readonly kind: "upload"; readonly directory: string }
  | { readonly kind: "server"; readonly limits: ServerLimits; readonly files: readonly SentFile[] }
  | { readonly kind: "bucket"; readonly shown: string }
  /** `isRepeated`: a submission tries again for a while. */
  | { readonly kind: "failed"; readonly error: SubmitError; readonly isRepeated: boolean };

type ServerLimits = Awaited<ReturnType<typeof probeServer>>["limits"];

/** A file that is sent to the staging server. */
export interface SentFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** Asks the staging server or the bucket of a submission, if its files go there. Sends no file. */
export async function fetchStaging(host: Host, driver: DriverConf): Promise<StagingFacts> {
  const { uploads, localized } = driver.staged;
  const [upload] = uploads;
  if (upload !== undefined) return { kind: "upload", directory: upload.directory };
  if (localized === undefined || localized.transport === "remote") return { kind: "noFiles" };
  const { transport, entries } = localized;
  const probe = { host, driver, localized };
  try {
    switch (transport) {
      case "secret":
      case "push":
        return { kind: transport };
      case "server":
        return { kind: "server", limits: (await probeServer(probe)).limits, files: entries };
      case "s3":
        return { kind: "bucket", shown: await probeBucket(probe) };
    }
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return { kind: "failed", error, isRepeated: isRepeated(error) };
  }
}
