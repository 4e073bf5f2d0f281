import { pushAddress, pushServiceType, pushUsesInternalAddresses } from "../../../../../conf/entries/pushing.ts";
import { type SubmitError, submitError } from "../../../../../errors/submit-error.ts";
import { resourceTypes } from "../../../../../kube/resources.ts";
import type { Node, Service } from "../../../../../kube/types.ts";
import {
  externalUriAnnotations,
  pushBasePath,
  pushServiceName,
  pushTlsFiles,
} from "../../../../../plan/transports/push-service.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";

/** Source of the URLs of a waiting init container. `features/transports/push-services.ts` has the objects that lead to it. */
export interface UrlSource {
  /** Returns URLs of which one responds. Resolves with `undefined` while there are none; it is then called again. */
  readonly find: (call: TransferCall) => Promise<readonly string[] | undefined>;
  /** Explains why there are none after the timeout. Continues with `within 3 s`. */
  readonly missing: (call: TransferCall) => string;
}

/** Port of the nodes. */
export const nodePorts: UrlSource = { find: nodePortUrls, missing: () => "the API did not list the nodes" };

/** Address of an Ingress controller or a Gateway, with the path of the submission. */
export const frontAddress: UrlSource = {
  async find({ driver }) {
    const address = (driver.conf.get(pushAddress) ?? "").replace(/\/+$/, "");
    return [`${address}${pushBasePath(driver)}`];
  },
  missing: () => "no address was found",
};

const { responseKey } = externalUriAnnotations;

/** URL that a controller of the cluster announces in an annotation of the service. */
export const announcedUrl: UrlSource = {
  async find(call) {
    const { metadata } = await readService(call);
    const url = metadata?.annotations?.[responseKey];
    if (url === undefined) return undefined;
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return [url];
    throw noAddress(call, `the annotation ${responseKey} of its service is not an http or https URL`);
  },
  missing: () => `no controller set the annotation ${responseKey} of its service`,
};

/** Returns a node port of the service at all schedulable nodes, in any order. */
async function nodePortUrls(call: TransferCall): Promise<readonly string[]> {
  const { host, client, driver, log, signal } = call;
  const { items } = await client.list<Node>({ type: resourceTypes.node, ...(signal && { signal }) });
  const types = driver.conf.get(pushUsesInternalAddresses)
    ? ["ExternalIP", "LegacyHostIP", "InternalIP"]
    : ["ExternalIP", "LegacyHostIP"];
  const addresses = items
    .filter(({ spec }) => spec?.unschedulable !== true)
    .flatMap(({ status }) => status?.addresses ?? [])
    .filter(({ type }) => types.includes(type))
    .map(({ address }) => (address.includes(":") ? `[${address}]` : address));
  const { spec } = await readService(call);
  const port = spec?.ports?.[0]?.nodePort;
  if (addresses.length === 0) throw noAddress(call, `no schedulable node has an address of type ${types.join(" or ")}`);
  if (port === undefined) throw noAddress(call, "its service has no node port");
  const isSecure = pushTlsFiles(driver.conf) !== undefined;
  if (!isSecure)
    log("WARN", "Staging", "Sending the files of this machine and the secret of the init container unencrypted.");
  const urls = [...new Set(addresses)].map((address) => `${isSecure ? "https" : "http"}://${address}:${port}`);
  const at = Math.floor(host.random.fraction() * urls.length);
  return [...urls.slice(at), ...urls.slice(0, at)];
}

function readService({ client, driver, signal }: TransferCall): Promise<Service> {
  const target = { type: resourceTypes.service, namespace: driver.namespace, name: pushServiceName(driver) };
  return client.get<Service>({ ...target, ...(signal && { signal }) });
}

/** Builds the error of a service without a usable address. */
export function noAddress({ driver }: TransferCall, reason: string): SubmitError {
  const { key } = pushServiceType;
  const serviceType = driver.conf.get(pushServiceType);
  return submitError("SUBMIT_ERR_STAGING_NO_ADDRESS", { serviceType, reason, key });
}
