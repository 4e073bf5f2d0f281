import { driverPodName } from "../../conf/entries/driver.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import type { Host } from "../../host/host.ts";
import type { ApplicationRecord } from "../model/application.ts";
import type { NewApplication } from "../model/applications.ts";
import { sha256Hex } from "../sha256-hex.ts";

interface NewRecordCall {
  readonly host: Pick<Host, "clock" | "random">;
  /** Next integer, which no other application has. */
  readonly number: number;
  /** Namespace of applications without the setting. */
  readonly namespace: string;
}

/** Builds the record of a new application. */
export function newRecord(application: NewApplication, { host, number, namespace }: NewRecordCall): ApplicationRecord {
  const { protocol, name, owner, ownerGroups, proxyUser, priority = 0 } = application;
  // Spark's own option means a queue of YARN, and has no effect on Kubernetes.
  const queue = application.queue ?? application.submission.fields.queue;
  const acceptedMs = host.clock.now();
  const id = application.id ?? idOf(protocol, number, acceptedMs);
  const settings = { ...application.submission.settings, ...application.settingsWithId?.(id) };
  const submission = { ...application.submission, settings };
  const key = protocol === "submitter" ? `submitter-${sha256Hex(id).slice(0, 32)}` : keyOf(protocol, number, id);
  const unique = Buffer.from(host.random.bytes(4)).toString("hex");
  return {
    ...{ key, protocol, id, name, owner, proxyUser, queue, priority, acceptedMs, submission, number, attempt: 1 },
    namespace: submission.settings[namespaceEntry.key] || namespace,
    podName: submission.settings[driverPodName.key] || `${[...partOf(name), key, unique].join("-")}-driver`,
    requestDigest: requestDigest(application),
    ...(ownerGroups !== undefined && ownerGroups.length > 0 && { ownerGroups }),
    ...(application.lifetime !== undefined && { lifetime: application.lifetime }),
    ...(application.schedule !== undefined && { schedule: application.schedule }),
    ...(application.traceparent !== undefined && { traceparent: application.traceparent }),
    ...(application.idempotencyKey !== undefined && { idempotencyKey: application.idempotencyKey }),
  };
}

/** Returns a digest of everything that decides about an application. */
export function requestDigest({ name, proxyUser, queue, priority, submission, lifetime }: NewApplication): string {
  const { fields, settings, resource, appArgs, templates } = submission;
  const sorted = (all: object) => Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [name, proxyUser, queue, priority, sorted(fields), sorted(settings), resource, appArgs, templates];
  return sha256Hex(JSON.stringify(lifetime === undefined ? parts : [...parts, lifetime]));
}

/** IDs of the standalone protocol have Spark's shape: `driver-YYYYMMDDHHMMSS-NNNN`. Clients parse them. */
function idOf(protocol: ApplicationRecord["protocol"], number: number, acceptedMs: number): string {
  if (protocol !== "rest") return String(number);
  const digits = new Date(acceptedMs).toISOString().replace(/\D/g, "").slice(0, 14);
  return `driver-${digits}-${String(number).padStart(4, "0")}`;
}

function keyOf(protocol: ApplicationRecord["protocol"], number: number, id: string): string {
  return protocol === "rest" ? id : `${protocol}-${number}`;
}

/** Returns the start of a name as part of a pod's name; nothing if it has no usable character. */
function partOf(name = ""): readonly string[] {
  const part = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 24)
    .replace(/^-+|-+$/g, "");
  return part === "" ? [] : [/^\d/.test(part) ? `x${part}` : part];
}
