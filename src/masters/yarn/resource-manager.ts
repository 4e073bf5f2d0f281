import { submitError } from "../../errors/submit-error.ts";
import {
  type HadoopCall,
  type HadoopServers,
  hadoopCalls,
  jsonOf,
  remoteExceptionIn,
} from "../../hadoop/hadoop-call.ts";
import type { Host } from "../../host/host.ts";
import { isFields } from "../../values/fields.ts";
import { type AppReport, readAppReport } from "./plan/app-report.ts";

/**
 * REST client of a YARN cluster's ResourceManagers.
 *
 * All methods reject with SUBMIT_ERR_HADOOP_REJECTED, SUBMIT_ERR_HADOOP_UNREACHABLE and SUBMIT_ERR_HADOOP_SECURED.
 */
export interface ResourceManager {
  /** Requests an application ID. `maximumMiB`: the memory limit of a container. */
  readonly newApplication: () => Promise<{ readonly appId: string; readonly maximumMiB: number }>;
  /** Also rejects with SUBMIT_ERR_YARN_SUBMIT. */
  readonly submit: (appId: string, body: unknown) => Promise<void>;
  /** Fetches a report; `undefined` if the application is unknown. */
  readonly report: (appId: string) => Promise<AppReport | undefined>;
  /** Requests to kill an application. Returns whether it has ended. */
  readonly kill: (appId: string) => Promise<boolean>;
}

const root = "/ws/v1/cluster/apps";

/** Creates the client, without a request. */
export function openResourceManager(
  host: Host,
  choice: Pick<HadoopServers, "servers" | "user" | "connections" | "signal">,
): ResourceManager {
  const call = hadoopCalls({ ...choice, host, proxyParameter: "doAs" });
  const server = choice.servers.join(", ");
  const callJson = async (hadoopCall: HadoopCall) => {
    const response = await call(hadoopCall);
    return { status: response.status, value: jsonOf(response, { server, ...hadoopCall }) };
  };
  const rejected = ({ what, of }: HadoopCall, exception: string, message: string) =>
    submitError("SUBMIT_ERR_HADOOP_REJECTED", { server, what, of, exception, message });
  return {
    async newApplication() {
      const path = `${root}/new-application`;
      const hadoopCall = { method: "POST", path, what: "name", of: "an application" } as const;
      const { value } = await callJson(hadoopCall);
      const appId = isFields(value) ? value["application-id"] : undefined;
      const maximum = isFields(value) ? value["maximum-resource-capability"] : undefined;
      // The ID becomes a part of paths, of which one is deleted at the end.
      const isId = typeof appId === "string" && /^application_\d+_\d+$/.test(appId);
      if (isId && isFields(maximum)) return { appId, maximumMiB: Number(maximum["memory"]) };
      throw rejected(hadoopCall, "no application-id", "the response contains no application ID");
    },
    async submit(appId, body) {
      const hadoopCall = { method: "POST", path: root, what: "submit", of: appId, json: body } as const;
      const response = await call({ ...hadoopCall, accepted: [400, 403] });
      if (response.status < 300) return;
      const reason = remoteExceptionIn(response)?.message ?? "no reason given";
      throw submitError("SUBMIT_ERR_YARN_SUBMIT", { appId, reason });
    },
    async report(appId) {
      const path = `${root}/${appId}`;
      const hadoopCall = { method: "GET", path, what: "read the state of", of: appId } as const;
      const { status, value } = await callJson({ ...hadoopCall, accepted: [404] });
      const report = status === 404 ? undefined : readAppReport(value);
      if (status !== 404 && report === undefined)
        throw rejected(hadoopCall, "no app", "the response contains no application");
      return report;
    },
    async kill(appId) {
      const { value } = await callJson({
        ...{ method: "PUT", path: `${root}/${appId}/state`, what: "kill", of: appId },
        json: { state: "KILLED" },
      });
      return isFields(value) && ["KILLED", "FINISHED", "FAILED"].includes(String(value["state"]));
    },
  };
}
