import type { Files } from "../../host/host.ts";
import type { Account } from "./account.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The account of the pod that we run in; `undefined` outside of pods.
 *
 * Source: Kubernetes, "Accessing the API from within a Pod".
 */
export function readServiceAccount(files: Files): Account | undefined {
  const token = files.readText(`${folder}/token`);
  if (token === undefined) return undefined;
  const file = `${folder}/ca.crt`;
  return {
    token: token.trim(),
    namespace: files.readText(`${folder}/namespace`)?.trim(),
    ...(files.info(file) === undefined ? {} : { authority: [{ file }] }),
  };
}
