import { dirname, resolve } from "node:path";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Account } from "./account.ts";
import type { Identified } from "./identified-user.ts";
import { impersonationOf } from "./impersonation.ts";
import type { Entry } from "./kubeconfig-file.ts";
import { readCredential } from "./pem.ts";
import type { UserAccess } from "./user-access.ts";

/**
 * Completes an account from the sources of a kubeconfig's user: a token file, a program, an issuer, impersonation. As in
 * kubectl, inline credentials come first. Spark's client library runs a program even if there is a token.
 *
 * Source: Kubernetes, "kubeconfig (v1)", AuthInfo.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_…
 */
export async function resolveCredentials(host: Host, access: UserAccess, identified: Identified): Promise<Account> {
  const { user, account } = identified;
  const { kubeconfig, credentials } = access.behaviors;
  const hasAllFields = kubeconfig === "kubectl";
  const impersonation = account.impersonation ?? (hasAllFields ? impersonationOf(user) : undefined);
  const tokenFile = identified.isTokenOverruled || !hasAllFields ? undefined : user.text("tokenFile");
  const token = isSpecified(tokenFile) ? readTokenFile(host, user, tokenFile, account.token) : account.token;
  const known = { ...account, impersonation, token };
  const isTokenEnough = credentials === "kubectl" || identified.isTokenOverruled;
  if ((isSpecified(token) && isTokenEnough) || known.basic !== undefined) return known;
  const exec = user.child("exec");
  const provider = user.child("auth-provider");
  if (provider !== undefined) {
    if (exec !== undefined && credentials === "kubectl") throw twoSources(user);
    const { queryProvider } = await import("./auth-provider.ts");
    return queryProvider(host, access, { ...identified, account: known }, provider);
  }
  if (exec === undefined || (hasCertificate(known) && credentials === "kubectl")) return known;
  const { runExecPlugin } = await import("./exec-plugin.ts");
  return runExecPlugin(host, access, { ...identified, account: known }, exec);
}

// If the file cannot be read, the inline token is used.
function readTokenFile({ files }: Host, user: Entry, path: string, inlineToken: string | undefined): string {
  const file = resolve(dirname(user.path), path);
  try {
    return readCredential(files, "token file", file).trim();
  } catch (error) {
    if (isSpecified(inlineToken)) return inlineToken;
    throw error;
  }
}

function twoSources({ name, path }: Entry) {
  const reason = `its user ${name} has both exec and auth-provider`;
  return submitError("SUBMIT_ERR_KUBE_CONFIG", { path, reason });
}

function hasCertificate({ certificate = [] }: Account): boolean {
  return certificate.some(({ data, file }) => isSpecified(data) || isSpecified(file));
}

function isSpecified(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
