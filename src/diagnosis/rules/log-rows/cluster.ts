import type { PodView } from "../../pod-view.ts";
import { keys } from "../../settings.ts";
import type { LogRow } from "../log-row.ts";

const account = (user: string) => /^system:serviceaccount:[^:]+:(.+)$/.exec(user)?.[1] ?? user;

/** Driver log rows about the cluster and the network. */
export const clusterRows: readonly LogRow[] = [
  {
    cause: "driver-pod-not-found",
    scope: "log",
    pattern: /No pod was found named (?:Some\()?([^\s)]+)\)? in the cluster in the namespace (\S+)/,
    isImmediate: /[\s\S]/,
    remedy: "Leave the name of the driver pod to the submission, or make the setting and the pod agree.",
    explain: ({ match: [, name = "", namespace = ""] }) => ({
      message: `The driver does not find its own pod: no pod is named ${name} in the namespace ${namespace}.`,
      key: keys.driverPodName,
    }),
  },
  {
    cause: "driver-forbidden",
    scope: "log",
    pattern:
      /forbidden: User \\?"([^"\\]+)\\?" cannot (\w+) resource \\?"([^"\\]+)\\?"(?: in API group \\?"([^"\\]*)\\?")?(?: in the namespace \\?"([^"\\]+)\\?")?/,
    // A missing permission to clean up at the end has no effect on the result.
    isImmediate: /cannot (create|get|list|watch) resource \\?"(pods|services|configmaps)\\?"/,
    isConsequence: true,
    remedy: `Set ${keys.driverAccount} to an account that has the role edit, or grant the permission to the account.`,
    explain: ({ match: [, user = "", verb = "", resource = "", group = "", namespace = ""] }) => ({
      message: `The account ${user} of the driver may not ${verb} ${resource}${group === "" ? "" : `.${group}`}${namespace === "" ? "" : ` in ${namespace}`}.`,
      nextStep: `Set ${keys.driverAccount} to an account that has the role edit${account(user) === "default" ? ", such as spark on an embedded cluster" : ""}, or grant ${verb} on ${resource} to the account ${account(user)}.`,
      key: keys.driverAccount,
    }),
  },
  {
    cause: "driver-bind-failed",
    scope: "failure",
    pattern: /Cannot assign requested address|Address already in use|BindException|failed after \d+ retries/,
    remedy: "Drop the bind address, or choose a port that is free.",
    explain: ({ driver, view: { properties }, line }) => {
      const address = bindAddress(driver, properties);
      const service = /Service '(\S+)'/.exec(line.text)?.[1];
      return {
        message: `The driver cannot bind ${service === undefined ? "its port" : `the port of ${service}`}${address === undefined ? "" : ` at ${address}`}: ${/Address already in use/.test(line.text) ? "it is in use already" : "the pod has no such address"}.`,
        key: keys.bindAddress,
      };
    },
  },
  {
    cause: "loopback-refused",
    scope: "failure",
    pattern:
      /(?:(?:to|at) |host=')(localhost|127\.0\.0\.1)(?:\/[\d.]+)?(?::|', port=)(\d+)\b(?=.*(?:refused|failed|Max retries))/i,
    remedy:
      "Use an address that pods can reach; in the embedded cluster, host.firesteel.internal is the submitter's machine.",
    explain: ({ match: [, host = "", port = ""] }) => ({
      message: `The driver connects to ${host}:${port}, which in a pod is the pod itself: no server listens there.`,
      nextStep:
        "Replace that address by one that pods can reach. In the embedded cluster, host.firesteel.internal is the submitter's machine.",
    }),
  },
];

function bindAddress({ main }: PodView, properties: Readonly<Record<string, string>>): string | undefined {
  const set = main.spec?.env?.findLast(({ name }) => name === "SPARK_DRIVER_BIND_ADDRESS");
  return set?.value ?? properties[keys.bindAddress];
}
