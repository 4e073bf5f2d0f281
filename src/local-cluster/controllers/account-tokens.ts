import type { ApiScope } from "../api/call.ts";
import { isObject } from "../api/json.ts";
import type { StoredObject } from "../api/store.ts";
import { type Controller, deleteObject, findByKey, keyOf, startReconciler } from "./controller.ts";

const type = "kubernetes.io/service-account-token";
const nameKey = "kubernetes.io/service-account.name";
const uidKey = "kubernetes.io/service-account.uid";

/**
 * Issues non-expiring tokens into secrets of type `kubernetes.io/service-account-token`, and deletes the secrets of deleted
 * accounts.
 *
 * Source: Kubernetes 1.35, tokens controller.
 *
 * @param certificateAuthority PEM
 */
export function startAccountTokens(certificateAuthority: string): Controller {
  return (api) =>
    startReconciler(api, {
      observe({ type: change, collection, object }, add) {
        const { namespace, name } = object.metadata;
        if (collection === "secrets" && change !== "DELETED" && isTokenSecret(object)) add(keyOf(object));
        if (collection !== "serviceaccounts" || change !== "DELETED") return;
        for (const secret of api.store.list("secrets", namespace))
          if (isTokenSecret(secret) && accountOf(secret) === name) add(keyOf(secret));
      },
      work(key) {
        const secret = findByKey(api.store, "secrets", key);
        if (secret !== undefined && isTokenSecret(secret)) fillSecret(api, secret, certificateAuthority);
      },
    });
}

function fillSecret(api: ApiScope, secret: StoredObject, certificateAuthority: string): void {
  const { store, tokens } = api;
  const { namespace = "", name } = secret.metadata;
  const account = store.get("serviceaccounts", namespace, accountOf(secret));
  const uid = secret.metadata.annotations?.[uidKey];
  if (account === undefined || (uid !== undefined && uid !== account.metadata.uid)) {
    deleteObject(api, "secrets", secret);
    return;
  }
  const issued = tokens.issue({
    ...{ namespace, serviceAccount: account.metadata.name, audiences: [] },
    boundTo: { kind: "secret", name, uid: secret.metadata.uid },
    expirationSeconds: Number.POSITIVE_INFINITY,
  });
  if (issued === undefined || isFilled(secret)) return;
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const data = { "ca.crt": encode(certificateAuthority), namespace: encode(namespace), token: encode(issued.token) };
  store.update("secrets", namespace, name, (current) => ({
    ...current,
    metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [uidKey]: account.metadata.uid } },
    data: { ...(isObject(current["data"]) ? current["data"] : {}), ...data },
  }));
}

function isTokenSecret(secret: StoredObject): boolean {
  return secret["type"] === type && accountOf(secret) !== "";
}

function accountOf({ metadata }: StoredObject): string {
  return metadata.annotations?.[nameKey] ?? "";
}

function isFilled(secret: StoredObject): boolean {
  const { data } = secret;
  return isObject(data) && ["ca.crt", "namespace", "token"].every((key) => key in data);
}
