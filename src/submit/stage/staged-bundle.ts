import {
  stagingServer,
  stagingServerAuthority,
  stagingServerInternalUrl,
  stagingServerToken,
} from "../../conf/entries/localizing.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import { issue } from "../../errors/issue.ts";
import { isSubmitError, SubmitError, submitError } from "../../errors/submit-error.ts";
import { cacheDirectory } from "../../host/cache-directory.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import type { KubeResource, Pod } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { appSelectorLabel, roleLabel } from "../../plan/labels.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import { localizingFiles, localizingNames, localizingPath } from "../../plan/localizing-names.ts";
import type { LocalizeConfig } from "../../staging-client/localize-config.ts";
import type { BundleReceipt } from "../../staging-client/protocol.ts";
import { type StagingClient, stagingClient } from "../../staging-client/staging-client.ts";
import type { Staging } from "./staging.ts";
import type { StagingCall } from "./with-staging.ts";

interface BundleCall extends StagingCall {
  readonly localized: LocalizedDependencies;
}

/** What the pod must be told of the bundle. */
interface StagedBundle extends BundleReceipt {
  /** As the pods reach it. */
  readonly server: string;
  /** PEM. */
  readonly authority: string | undefined;
}

/**
 * Sends the files of a driver to the staging server, then creates it; when that fails, takes the bundle back.
 *
 * @throws SUBMIT_ERR_STAGING_REFUSED, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE,
 *   SUBMIT_ERR_INTERRUPTED, what `create` throws; each perhaps with SUBMIT_ERR_STAGING_LEFT_BEHIND
 */
export async function withStagedBundle(call: BundleCall, create: Parameters<Staging>[0]): Promise<Pod> {
  const { host, driver, signal } = call;
  const url = driver.conf.get(stagingServer) ?? "";
  const authority = readSetting(host, driver, stagingServerAuthority);
  const token = readSetting(host, driver, stagingServerToken)?.trim();
  const cacheFolder = `${cacheDirectory(host)}/staging`;
  const client = stagingClient(host, { url, authority, token, cacheFolder, signal });
  try {
    const bundle = await stageAll(call, client, { url, authority }).catch((error: unknown) => {
      throw signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
    });
    return await orTakeBack({ client, url, bundle }, () => create(completed(call, bundle)));
  } finally {
    client.close();
  }
}

async function stageAll(
  { host, driver, localized }: BundleCall,
  client: StagingClient,
  { url, authority }: { readonly url: string; readonly authority: string | undefined },
): Promise<StagedBundle> {
  const { conf, namespace, appId } = driver;
  const { internalUrl } = await client.info();
  const transfer = showProgress(host).transfer("files of this machine");
  try {
    const receipt = await client.stage({
      files: localized.entries,
      owner: { namespace, labels: { [appSelectorLabel]: appId, [roleLabel]: "driver" }, type: "Pod" },
      onProgress: ({ bytes, totalBytes }) => transfer.update(bytes, totalBytes),
    });
    return { ...receipt, server: conf.get(stagingServerInternalUrl) ?? internalUrl ?? url, authority };
  } finally {
    transfer.end();
  }
}

interface TakingBack {
  readonly client: StagingClient;
  readonly url: string;
  readonly bundle: StagedBundle;
}

async function orTakeBack<T>({ client, url, bundle }: TakingBack, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    const isGone = await client.deleteBundle(bundle.bundleId);
    if (isGone || !isSubmitError(error)) throw error;
    const { bundleId, expiresAt } = bundle;
    const left = issue("SUBMIT_ERR_STAGING_LEFT_BEHIND", { bundleId, server: url, expiresAt });
    throw new SubmitError([...error.issues, left], { cause: error.cause });
  }
}

/** The objects of which only the staging server knew the content. */
function completed(
  { driver, localized, resources }: BundleCall,
  bundle: StagedBundle,
): readonly KubeResource[] {
  const { configMap, secret } = localizingNames(driver);
  const { server, bundleId, token, authority } = bundle;
  const authorityFile = authority === undefined ? {} : { authorityFile: localizingPath("authority") };
  const config: LocalizeConfig = {
    directory: localized.directory,
    sources: [{ kind: "bundle", server, bundleId, tokenFile: localizingPath("token"), ...authorityFile }],
  };
  const contents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [`ConfigMap/${configMap}`]: {
      [localizingFiles.config]: JSON.stringify(config, undefined, 2),
      ...(authority === undefined ? {} : { [localizingFiles.authority]: authority }),
    },
    [`Secret/${secret}`]: { [localizingFiles.token]: Buffer.from(token).toString("base64") },
  };
  return resources.map((resource) => {
    const data = contents[`${resource.kind}/${resource.metadata.name}`];
    return data === undefined ? resource : { ...resource, immutable: true, data };
  });
}

function readSetting(
  { files, cwd }: Host,
  { conf }: DriverConf,
  entry: ConfEntry<string | undefined>,
): string | undefined {
  const given = conf.get(entry);
  if (given === undefined) return undefined;
  const path = given.startsWith("/") ? given : `${cwd}/${given}`;
  const text = files.info(path)?.kind === "file" ? files.readText(path) : undefined;
  if (text === undefined)
    throw submitError("SUBMIT_ERR_FILE_UNREADABLE", {
      what: entry.key,
      path,
      reason: "there is no such file",
    });
  return text;
}
