import { isObject } from "../api/json.ts";
import type { StoredObject } from "../api/store.ts";
import { type Controller, deleteObject, workQueue } from "./controller.ts";

const type = "kubernetes.io/service-account-token";
const nameKey = "kubernetes.io/service-account.name";
const uidKey = "kubernetes.io/service-account.uid";

/**
 * Fills secrets that ask for a token of a service account with one that does not end by itself, and removes them with their account.
 *
 * Source: Kubernetes' tokens controller, v1.35. @param certificateAuthority PEM
 */
export function startAccountTokens(certificateAuthority: string): Controller {
  return (api) => {
    const { store, tokens } = api;
    const queue = workQueue(api, (key) => {
      const [namespace = "", name = ""] = key.split("/");
      const secret = store.get("secrets", namespace, name);
      if (secret === undefined || !asksForToken(secret)) return;
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
      const data = {
        "ca.crt": encode(certificateAuthority),
        namespace: encode(namespace),
        token: encode(issued.token),
      };
      store.update("secrets", namespace, name, (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          annotations: { ...current.metadata.annotations, [uidKey]: account.metadata.uid },
        },
        data: { ...(isObject(current["data"]) ? current["data"] : {}), ...data },
      }));
    });
    const stopListening = store.follow(({ type: change, collection, object }) => {
      const { namespace, name } = object.metadata;
      if (collection === "secrets" && change !== "DELETED" && asksForToken(object))
        queue.add(`${namespace}/${name}`);
      if (collection !== "serviceaccounts" || change !== "DELETED") return;
      for (const secret of store.list("secrets", namespace))
        if (asksForToken(secret) && accountOf(secret) === name)
          queue.add(`${namespace}/${secret.metadata.name}`);
    });
    return () => {
      stopListening();
      queue.stop();
    };
  };
}

function asksForToken(secret: StoredObject): boolean {
  return secret["type"] === type && accountOf(secret) !== "";
}

function accountOf({ metadata }: StoredObject): string {
  return metadata.annotations?.[nameKey] ?? "";
}

function isFilled(secret: StoredObject): boolean {
  const { data } = secret;
  return isObject(data) && ["ca.crt", "namespace", "token"].every((key) => key in data);
}
