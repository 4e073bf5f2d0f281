import type { Duplex } from "node:stream";
import { uiPort } from "../../../../../conf/entries/driver.ts";
import {
  pushAddress,
  pushAuthority,
  pushExposesUi,
  pushServiceType,
  pushTimeout,
  pushUsesInternalAddresses,
} from "../../../../../conf/entries/pushing.ts";
import { messageOf, type SubmitError, submitError } from "../../../../../errors/submit-error.ts";
import { type ResourceType, resourceTypeOf, resourceTypes } from "../../../../../kube/resources.ts";
import type { Node, Service } from "../../../../../kube/types.ts";
import { httpConnections } from "../../../../../net/http-connections.ts";
import {
  externalUriAnnotations,
  type PushServiceType,
  pushBasePath,
  pushServiceName,
  pushTlsFiles,
} from "../../../../../plan/transports/push-service.ts";
import { pushPaths } from "../../../../../staging-client/push.ts";
import { retryUntilDeadline, TransientError } from "../../../../../staging-client/retry.ts";
import { routeOf } from "../../../../../staging-client/server-url.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";
import { readNamedFile } from "../read-named-file.ts";

/** Address of a waiting init container. */
export interface PushTarget {
  /** Description for the log. */
  readonly description: string;
  /** `http://HOST:PORT`, optionally with a path. With `connect`, the host is only a name. */
  readonly url: string;
  /** Opens a connection. @default a connection to the host of the URL */
  readonly connect?: () => Promise<Duplex>;
  /** PEM of its certificate authority, for https. @default the system's */
  readonly authority?: string | undefined;
}

const pollMs = 1000;
const responseTimeoutMs = 5000;

/** Returns a node port of the service, at the first node that responds. */
export async function nodePortTarget(call: TransferCall): Promise<PushTarget> {
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
  return firstResponding(call, [...urls.slice(at), ...urls.slice(0, at)]);
}

/** Returns the URL that a controller of the cluster announces in an annotation of the service. */
export async function externalTarget(call: TransferCall): Promise<PushTarget> {
  const { host, driver, signal } = call;
  const limitMs = driver.conf.get(pushTimeout);
  const { responseKey } = externalUriAnnotations;
  for (const since = host.clock.monotonic(); ; ) {
    const { metadata } = await readService(call);
    const url = metadata?.annotations?.[responseKey];
    if (url !== undefined) {
      if (/^https?:\/\//.test(url) && URL.canParse(url)) return firstResponding(call, [url]);
      throw noAddress(call, `the annotation ${responseKey} of its service is not an http or https URL`);
    }
    if (host.clock.monotonic() - since >= limitMs)
      throw noAddress(
        call,
        `no controller set the annotation ${responseKey} of its service within ${limitMs / 1000} s`,
      );
    await host.clock.sleep(pollMs, signal === undefined ? {} : { signal });
    signal?.throwIfAborted();
  }
}

/** Returns the address of an Ingress controller or a Gateway, with the path of this submission. */
export async function addressTarget(call: TransferCall): Promise<PushTarget> {
  const { driver } = call;
  const address = (driver.conf.get(pushAddress) ?? "").replace(/\/+$/, "");
  return firstResponding(call, [`${address}${pushBasePath(driver)}`]);
}

/** Redirects the service to the application's UI. Only logs a failure. */
export async function closeService({ client, driver, log }: TransferCall): Promise<void> {
  const { conf, namespace } = driver;
  const port = conf.get(uiPort);
  const patch = {
    metadata: { annotations: { [externalUriAnnotations.requestKey]: null } },
    spec: {
      type: conf.get(pushExposesUi) ? "NodePort" : "ClusterIP",
      ports: [{ name: "spark-ui-port", port, targetPort: port }],
      publishNotReadyAddresses: false,
    },
  };
  const name = pushServiceName(driver);
  const route = routeTypes[conf.get(pushServiceType)];
  try {
    await client.patch({ type: resourceTypes.service, namespace, name, patch });
    if (route !== undefined) await client.delete({ type: route, namespace, name });
  } catch (error) {
    log(
      "WARN",
      "Staging",
      `Cannot redirect the service ${name} from the init container to the UI: ${messageOf(error)}`,
    );
  }
}

/** Objects that lead to the init container only, by the type of its service. */
const routeTypes: Partial<Record<PushServiceType, ResourceType>> = {
  Ingress: resourceTypeOf({ apiVersion: "networking.k8s.io/v1", kind: "Ingress" }),
  Gateway: resourceTypeOf({ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute" }),
};

function readService({ client, driver, signal }: TransferCall): Promise<Service> {
  const target = { type: resourceTypes.service, namespace: driver.namespace, name: pushServiceName(driver) };
  return client.get<Service>({ ...target, ...(signal && { signal }) });
}

/** Returns the first URL that responds to a ping. */
async function firstResponding({ host, driver, signal }: TransferCall, urls: readonly string[]): Promise<PushTarget> {
  const authority = readNamedFile(host, driver.conf, pushAuthority);
  const connections = httpConnections({ clock: host.clock, authority });
  let next = 0;
  try {
    const server = `the init container at ${urls.join(" or ")}`;
    return await retryUntilDeadline(host, { server, isKept: false, signal, maxDelayMs: pollMs }, async () => {
      const url = urls[next % urls.length] ?? "";
      next += 1;
      const late = new AbortController();
      const cancel = host.clock.after(responseTimeoutMs, () => late.abort());
      try {
        const either = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]);
        const response = await connections.send({ method: "GET", url: routeOf(url, pushPaths.ping), signal: either });
        response.close();
        if (response.status === 200) return { description: url, url, authority };
        throw new TransientError(`${url} responded with status ${response.status}`);
      } finally {
        cancel();
      }
    });
  } finally {
    connections.close();
  }
}

function noAddress({ driver }: TransferCall, reason: string): SubmitError {
  const { key } = pushServiceType;
  const serviceType = driver.conf.get(pushServiceType);
  return submitError("SUBMIT_ERR_STAGING_NO_ADDRESS", { serviceType, reason, key });
}
