import { resourcePath, resourceTypes } from "../kube/resources.ts";
import type { LogCall, PodProxyCall } from "./call.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { readJson } from "./response.ts";
import { streamBody } from "./stream.ts";
import { aboutObject, aboutSubresource } from "./target.ts";

/** Streams a container's log. */
export function streamLog(api: Api, call: LogCall): AsyncIterable<Uint8Array> {
  const { namespace, pod, container, follow, sinceTime, timestamps, tailLines, previous, signal } = call;
  const query = { container, follow, sinceTime, timestamps, tailLines, previous };
  const type = resourceTypes.pod;
  return streamBody(api, {
    ...aboutSubresource({ type, namespace, name: pod, subresource: "log" }, "get", query),
    method: "GET",
    signal,
  });
}

/** Fetches JSON from a pod through the API's proxy. */
export function fetchFromPod<T>(api: Api, { namespace, pod, port, path, signal }: PodProxyCall): Promise<T> {
  const object = { type: resourceTypes.pod, namespace, name: pod };
  const request: Exchange = {
    ...aboutObject(object, "get"),
    subresource: "proxy",
    method: "GET",
    target: `${resourcePath(object.type, namespace, pod)}:${port}/proxy${path}`,
    signal,
  };
  return exchange(api, request, (response) => readJson<T>(api, request, response));
}
