import type { Files } from "../../host/host.ts";
import type { Account } from "./account.ts";

const directory = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Reads the service account of the pod that Firesteel runs in. Returns `undefined` outside of pods.
 *
 * Source: Kubernetes, "Accessing the API from within a Pod".
 */
export function readServiceAccount(files: Files): Account | undefined {
  const token = files.readText(`${directory}/token`);
  if (token === undefined) return undefined;
  const file = `${directory}/ca.crt`;
  return {
    token: token.trim(),
    namespace: files.readText(`${directory}/namespace`)?.trim(),
    ...(files.info(file) === undefined ? {} : { authority: [{ file }] }),
  };
}
