import { diagnose } from "../../../diagnosis/diagnose.ts";
import { diagnosisJson } from "../../../diagnosis/diagnosis-json.ts";
import type { Observation } from "../../../diagnosis/observation.ts";
import { recordOf } from "../../../diagnosis/record-of.ts";
import { type Redactor, redactorOf } from "../../../diagnosis/redact-observation.ts";
import type { Event, Pod } from "../../../kube/types.ts";
import { appNameLabelKey, appSelectorLabel } from "../../../plan/labels.ts";
import { sortedEvents } from "../diagnose/application-events.ts";
import type { TrackedObject } from "../diagnose/informer.ts";
import {
  type BundleManifest,
  bundleFiles,
  bundleVersion,
  logFile,
  type MissingPart,
  podFile,
} from "./bundle-manifest.ts";
import type { StoredLog } from "./log-store.ts";

/** Facts about an application. */
export interface BundleFacts {
  readonly observation: Observation;
  readonly driver: TrackedObject<Pod>;
  readonly executors: readonly TrackedObject<Pod>[];
  readonly events: readonly Event[];
  readonly logs: readonly StoredLog[];
  readonly missing: readonly MissingPart[];
  readonly server: string;
}

/** Files of a bundle without its logs, and the means to remove secrets from these. */
export interface BundleDocuments {
  readonly manifest: BundleManifest;
  /** By path, the manifest first. */
  readonly files: ReadonlyMap<string, string>;
  readonly redactor: Redactor;
}

/** Builds the files of a bundle. No file contains a secret. @param created time in RFC 3339, with ms */
export function bundleDocuments(facts: BundleFacts, created: string): BundleDocuments {
  const { observation, driver, executors, events } = facts;
  const pods = [driver, ...executors];
  const redactor = redactorOf(
    observation,
    pods.map(({ object }) => object),
  );
  const shown = redactor.observation(observation);
  const manifest = redactor.object(manifestOf(facts, created));
  const documents: readonly (readonly [string, unknown])[] = [
    [bundleFiles.manifest, manifest],
    [bundleFiles.record, recordOf(shown, created)],
    [bundleFiles.diagnosis, diagnosisJson(diagnose(shown))],
    [bundleFiles.events, { events: redactor.object(sortedEvents(events)) }],
    ...pods.map(({ object }) => [podFile(nameOf(object)), redactor.object(object)] as const),
  ];
  const files = new Map(documents.map(([path, value]) => [path, `${JSON.stringify(value, undefined, 2)}\n`]));
  return { manifest, files, redactor };
}

function manifestOf(facts: BundleFacts, created: string): BundleManifest {
  const { driver, executors, logs, missing, server } = facts;
  const { namespace = "", name = "", labels = {} } = driver.object.metadata ?? {};
  const podOf = (role: "driver" | "executor", { object, isDeleted }: TrackedObject<Pod>) => ({
    ...{ name: nameOf(object), role, deleted: isDeleted, file: podFile(nameOf(object)) },
    logs: logs
      .filter(({ pod }) => pod === nameOf(object))
      .map(({ container, isPrevious, omittedBytes, pod }) => ({
        ...{ container, previous: isPrevious, file: logFile(pod, container, isPrevious), omittedBytes },
      })),
  });
  return {
    ...{ version: bundleVersion, created },
    application: {
      ...{ id: labels[appSelectorLabel] ?? "", name: labels[appNameLabelKey] ?? name, namespace, driver: name, server },
      phase: driver.object.status?.phase ?? "",
    },
    pods: [podOf("driver", driver), ...executors.map((executor) => podOf("executor", executor))],
    missing,
  };
}

function nameOf({ metadata }: Pod): string {
  return metadata?.name ?? "";
}
