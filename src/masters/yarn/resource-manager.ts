import { submitError } from "../../errors/submit-error.ts";
import { type HadoopCall, type HadoopUser, hadoopCalls, jsonOf, remoteExceptionIn } from "../../hadoop/hadoop-call.ts";
import type { Host } from "../../host/host.ts";
import type { HttpConnections } from "../../net/http-connections.ts";
import { isFields } from "../../values/fields.ts";
import { type AppReport, readAppReport } from "./plan/app-report.ts";

/** A new application ID of a ResourceManager. */
export interface NewApplication {
  readonly appId: string;
  /** Maximum resources of a container. */
  readonly maximumMiB: number;
}

/**
 * REST client of a YARN cluster's ResourceManagers.
 *
 * All reject with SUBMIT_ERR_HADOOP_REJECTED, SUBMIT_ERR_HADOOP_UNREACHABLE and SUBMIT_ERR_HADOOP_SECURED.
 */
export interface ResourceManager {
  readonly newApplication: () => Promise<NewApplication>;
  /** Also rejects with SUBMIT_ERR_YARN_SUBMIT. */
  readonly submit: (appId: string, body: unknown) => Promise<void>;
  /** Fetches a report; `undefined` if the application is unknown. */
  readonly report: (appId: string) => Promise<AppReport | undefined>;
  /** Requests to kill an application. Returns whether it has ended. */
  readonly kill: (appId: string) => Promise<boolean>;
}

/** Addresses and user of the ResourceManagers. */
export interface ResourceManagerChoice {
  readonly servers: readonly string[];
  readonly user: HadoopUser;
  readonly connections: HttpConnections;
  readonly signal?: AbortSignal | undefined;
}

const root = "/ws/v1/cluster/apps";

/** Creates the client, without a request. */
export function openResourceManager(host: Host, choice: ResourceManagerChoice): ResourceManager {
  const { servers } = choice;
  const call = hadoopCalls({ ...choice, host, proxyParameter: "doAs" });
  const server = servers.join(", ");
  const callJson = async (hadoopCall: HadoopCall) => {
    const response = await call(hadoopCall);
    return { status: response.status, value: jsonOf(response, { server, ...hadoopCall }) };
  };
  return {
    async newApplication() {
      const hadoopCall = {
        method: "POST",
        path: `${root}/new-application`,
        what: "name",
        of: "an application",
      } as const;
      const { value } = await callJson(hadoopCall);
      const appId = isFields(value) ? value["application-id"] : undefined;
      const maximum = isFields(value) ? value["maximum-resource-capability"] : undefined;
      if (typeof appId === "string" && isFields(maximum)) return { appId, maximumMiB: Number(maximum["memory"]) };
      const message = "it named none";
      throw submitError("SUBMIT_ERR_HADOOP_REJECTED", {
        server,
        ...hadoopCall,
        exception: "no application-id",
        message,
      });
    },
    async submit(appId, body) {
      const hadoopCall = { method: "POST", path: root, what: "submit", of: appId, json: body } as const;
      const response = await call({ ...hadoopCall, accepted: [400, 403] });
      if (response.status < 300) return;
      const reason = remoteExceptionIn(response)?.message ?? "it gave no reason";
      throw submitError("SUBMIT_ERR_YARN_SUBMIT", { appId, reason });
    },
    async report(appId) {
      const hadoopCall = {
        method: "GET",
        path: `${root}/${appId}`,
        what: "read the state of",
        of: appId,
      } as const;
      const { status, value } = await callJson({ ...hadoopCall, accepted: [404] });
      if (status === 404) return undefined;
      const report = readAppReport(value);
      if (report !== undefined) return report;
      const message = "the response contains no application";
      throw submitError("SUBMIT_ERR_HADOOP_REJECTED", {
        server,
        ...hadoopCall,
        exception: "no app",
        message,
      });
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
