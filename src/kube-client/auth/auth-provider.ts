import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Account } from "./account.ts";
import type { Identified } from "./identified-user.ts";
import type { Entry } from "./kubeconfig-file.ts";
import type { UserAccess } from "./user-access.ts";

/** Removed kubectl providers, and their replacements. */
const successors: Readonly<Record<string, string>> = {
  gcp: "Install gke-gcloud-auth-plugin and let gcloud container clusters get-credentials write the kubeconfig again.",
  azure: "Install kubelogin and let kubelogin convert-kubeconfig write the kubeconfig again.",
};

/**
 * Completes an account with the token of a kubeconfig's `auth-provider`: OpenID Connect, else the token that a cloud's tool
 * saved there, while it is valid.
 *
 * Source: client-go, auth plugins; Spark's Kubernetes client library for saved tokens.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_PROVIDER
 */
export async function queryProvider(
  host: Host,
  access: UserAccess,
  { account, accountContext, user }: Identified,
  provider: Entry,
): Promise<Account> {
  const name = provider.text("name") ?? "";
  const config = provider.child("config");
  const savedToken = config?.text("access-token") || config?.text("id-token");
  if (name === "oidc" && config !== undefined) {
    const { openIdToken } = await import("./open-id-token.ts");
    const { refused } = accountContext;
    return openIdToken(host, { config, user, refused, account, proxyRules: access.behaviors.proxy }).catch(
      (error: unknown) => {
        if (access.behaviors.credentialErrors === "reject") throw error;
        accountContext.log("WARN", "OpenIDConnectionUtils", error instanceof Error ? error.message : String(error));
        return { ...account, token: savedToken };
      },
    );
  }
  const end = parseExpiry(config?.text("expiry") ?? config?.text("expires-on"));
  const isValid = savedToken !== undefined && (end === undefined || end > host.clock.now());
  if (isValid || access.behaviors.credentialErrors === "spark")
    return { ...account, token: savedToken, validUntil: end };
  throw submitError("SUBMIT_ERR_KUBE_AUTH_PROVIDER", {
    user: user.name,
    provider: name,
    problem:
      savedToken === undefined ? "such providers are no longer run" : "the token that it left in the file has expired",
    advice: `${successors[name] ?? "Let the tool that wrote the kubeconfig write it again, with exec instead."} Or pass a token: spark.kubernetes.authenticate.submission.oauthToken.`,
  });
}

/** Parses an expiry: a date from gcp, seconds since 1970 from azure. */
function parseExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const end = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(end) ? undefined : end;
}
