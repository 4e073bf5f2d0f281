import { stagingS3Endpoint, stagingS3PodEndpoint } from "../conf/entries/bucket.ts";
import { stagingServer, stagingServerInternalUrl } from "../conf/entries/localizing.ts";
import type { Setting } from "../conf/setting.ts";

/** Servers that this machine and the pods use, with the settings for their addresses here and in the pods. */
const serversOfBoth = [
  [stagingServer, stagingServerInternalUrl],
  [stagingS3Endpoint, stagingS3PodEndpoint],
] as const;

/** Returns whether an address is that of a pod itself, in a pod with its own network. */
export function isPodLoopback(address: string): boolean {
  return /^(?:localhost|127\.0\.0\.\d{1,3}|\[?::1\]?)$/i.test(address);
}

/**
 * Adds the addresses at which pods reach servers on this machine's loopback, for servers that Firesteel itself uses here and in pods.
 *
 * @param machineName name by which pods reach this machine's 127.0.0.1; `undefined` if pods share this machine's loopback
 */
export function withMachineName(
  settings: ReadonlyMap<string, Setting>,
  machineName: string | undefined,
): ReadonlyMap<string, Setting> {
  if (machineName === undefined) return settings;
  const completed = new Map(settings);
  for (const [own, ofPods] of serversOfBoth) {
    const [, scheme = "", rest = ""] =
      /^(https?:\/\/)(?:localhost|127\.0\.0\.1)((?:[:/].*)?)$/i.exec(find(settings, own)?.value ?? "") ?? [];
    if (scheme === "" || find(settings, ofPods) !== undefined) continue;
    const value = `${scheme}${machineName}${rest}`;
    completed.set(ofPods.key, { key: ofPods.key, value, origin: { kind: "client", why: "embedded cluster" } });
  }
  return completed;
}

/** Warns about settings with URLs that in a pod with its own network mean the pod itself. */
export function loopbackWarnings(
  settings: ReadonlyMap<string, Setting>,
  machineName: string | undefined,
): readonly string[] {
  if (machineName === undefined) return [];
  const ofThisMachine = new Set(serversOfBoth.flatMap(([own]) => [own.key, ...own.alternatives]));
  return [...settings.values()].flatMap(({ key, value }) => {
    // A URL can have credentials, so only its host is reported.
    const host = /:\/\/(?:[^/\s,@]*@)?(localhost|127\.0\.0\.\d{1,3}|\[::1\])(?=[:/,\s]|$)/i.exec(value)?.[1];
    if (host === undefined || ofThisMachine.has(key)) return [];
    return [
      `${key} has a URL with the host ${host}, which in a pod is the pod itself. For a server on this machine, use ${machineName}.`,
    ];
  });
}

function find(
  settings: ReadonlyMap<string, Setting>,
  { key, alternatives }: { readonly key: string; readonly alternatives: readonly string[] },
): Setting | undefined {
  return [key, ...alternatives].map((name) => settings.get(name)).find((setting) => setting !== undefined);
}
