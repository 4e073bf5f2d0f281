import type { ApiTarget } from "./api-target.ts";

/** Work and resource use of an API server, from its metrics. */
export interface ApiUsage {
  /** Processor time (ms) of the API server, without etcd and controllers. */
  readonly cpuMs: number;
  /** Requests that changed objects, of all clients. */
  readonly writes: number;
}

const writeVerbs = new Set(["POST", "PUT", "PATCH", "APPLY"]);
/** Written by controllers for each Service. */
const controllerResources = new Set(["endpoints", "endpointslices", "events", "leases"]);

/** Reads the metrics; `undefined` if the API has none, as the embedded one. */
export async function readApiUsage(target: ApiTarget): Promise<ApiUsage | undefined> {
  const text = await target.fetchText({ method: "GET", path: "/metrics" }).catch(() => "");
  const cpuSeconds = /^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1];
  if (cpuSeconds === undefined) return undefined;
  const requests = text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm);
  const writes = [...requests].filter(([, labels = ""]) => {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    return writeVerbs.has(label("verb")) && !controllerResources.has(label("resource"));
  });
  return { cpuMs: Number(cpuSeconds) * 1000, writes: writes.reduce((sum, [, , count]) => sum + Number(count), 0) };
}
