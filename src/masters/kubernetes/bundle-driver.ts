import { messageOf, submitError } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { makeProcessDirectory } from "../../host/make-process-directory.ts";
import { removeTree } from "../../host/remove-tree.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { appSelectorLabel } from "../../plan/labels.ts";
import type { BundleManifest } from "./archive/bundle-manifest.ts";
import { collectBundle } from "./archive/collect-bundle.ts";
import { logStore } from "./archive/log-store.ts";
import { packBundle } from "./archive/pack-bundle.ts";
import { writeComplete } from "./archive/store-bundle.ts";
import { lastObservation, type ObservedDriver } from "./diagnose-driver.ts";

interface BundleCall {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  /** The driver. */
  readonly pod: Pod;
  /** @default `<application ID>.tar.gz` in the working directory */
  readonly output: string | undefined;
}

/** A bundle that was written. */
export interface WrittenBundle {
  readonly path: string;
  readonly manifest: BundleManifest;
}

/**
 * Makes the bundle of an existing driver. Lists what it could not read in the bundle.
 *
 * @throws SUBMIT_ERR_BUNDLE_TARGET, SUBMIT_ERR_KUBE_…
 */
export async function bundleDriver({ host, client, log, pod, output }: BundleCall): Promise<WrittenBundle> {
  const { files, clock, random } = host;
  const { labels = {}, name = "" } = pod.metadata ?? {};
  const path = absolutePath(host, output ?? `${labels[appSelectorLabel] ?? name}.tar.gz`);
  const observed = await lastObservation({ client, clock, random, log, pod });
  let work: string | undefined;
  try {
    work = makeProcessDirectory(host, `${files.temporaryRoot}/firesteel-bundle-`);
    return { path, manifest: await write({ host, client, path, work }, observed) };
  } catch (error) {
    // The API's errors are in the bundle, so this is one of the disk.
    throw submitError("SUBMIT_ERR_BUNDLE_TARGET", { path, reason: messageOf(error) }, { cause: error });
  } finally {
    if (work !== undefined) removeTree(files, work);
  }
}

async function write(
  { host, client, path, work }: Pick<BundleCall, "host" | "client"> & { readonly path: string; readonly work: string },
  { pod, observation, executors }: ObservedDriver,
): Promise<BundleManifest> {
  const store = logStore(host, work);
  const driver = { object: pod, isDeleted: false };
  const facts = await collectBundle({ client, driver, executors, observation, store });
  return writeComplete(host, path, (draft) => packBundle(host, facts, { directory: work, path: draft }));
}
