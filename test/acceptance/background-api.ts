import { readFileSync } from "node:fs";
import { request } from "node:https";
import { load } from "js-yaml";

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to the API of a kubeconfig, without its token if `isAnonymous`. */
export function requestApi(
  kubeconfig: string,
  method: string,
  path: string,
  { body, isAnonymous = false }: { readonly body?: object; readonly isAnonymous?: boolean } = {},
): Promise<ApiResponse> {
  const { server, ca, token } = accessOf(readFileSync(kubeconfig, "utf8"));
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }),
    ...(text === "" ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server), { method, ca, headers, agent: false }, (reply) => {
      let received = "";
      reply.on("data", (chunk) => {
        received += chunk;
      });
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text: received }));
      reply.on("error", reject);
    });
    sent.on("error", reject).end(text);
  });
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

function accessOf(text: string) {
  const config = load(text);
  if (!isKubeconfig(config)) throw new Error("no kubeconfig");
  const [{ cluster }] = config.clusters;
  const ca = Buffer.from(cluster["certificate-authority-data"] ?? "", "base64").toString("utf8");
  return { server: cluster["server"] ?? "", ca, token: config.users[0].user["token"] ?? "" };
}

function isKubeconfig(value: unknown): value is Kubeconfig {
  return typeof value === "object" && value !== null && "clusters" in value && "users" in value;
}
