import { submitError } from "../../errors/submit-error.ts";
import {
  type HadoopCall,
  type HadoopUser,
  hadoopCalls,
  jsonOf,
  remoteExceptionIn,
} from "../../hadoop/hadoop-call.ts";
import type { Host } from "../../host/host.ts";
import type { HttpConnections } from "../../host/http-exchange.ts";
import { isFields } from "../../values/fields.ts";
import { type AppReport, readAppReport } from "./plan/app-report.ts";

/** An application that a ResourceManager has given a name, and nothing more. */
export interface NewApplication {
  readonly appId: string;
  /** The largest container that the cluster gives. */
  readonly maximumMiB: number;
}

/**
 * A cluster of YARN by the REST API of its ResourceManagers.
 *
 * All reject with SUBMIT_ERR_HADOOP_REFUSED, SUBMIT_ERR_HADOOP_UNREACHABLE and SUBMIT_ERR_HADOOP_SECURED.
 */
export interface ResourceManager {
  readonly newApplication: () => Promise<NewApplication>;
  /** Also rejects with SUBMIT_ERR_YARN_SUBMIT. */
  readonly submit: (appId: string, body: unknown) => Promise<void>;
  /** `undefined` when it knows no such application. */
  readonly report: (appId: string) => Promise<AppReport | undefined>;
  /** Asks for the end of an application; true when it is over. */
  readonly kill: (appId: string) => Promise<boolean>;
}

/** How the ResourceManagers are reached, and as whom. */
export interface ResourceManagerChoice {
  readonly servers: readonly string[];
  readonly user: HadoopUser;
  readonly connections: HttpConnections;
  readonly signal?: AbortSignal | undefined;
}

const root = "/ws/v1/cluster/apps";

/** Opens a cluster; nothing is asked yet. */
export function openResourceManager(host: Host, choice: ResourceManagerChoice): ResourceManager {
  const { servers } = choice;
  const call = hadoopCalls({ ...choice, host, proxyParameter: "doAs" });
  const server = servers.join(", ");
  const ask = async (asked: HadoopCall) => {
    const answer = await call(asked);
    return { status: answer.status, value: jsonOf(answer, { server, ...asked }) };
  };
  return {
    async newApplication() {
      const asked = {
        method: "POST",
        path: `${root}/new-application`,
        what: "name",
        of: "an application",
      } as const;
      const { value } = await ask(asked);
      const appId = isFields(value) ? value["application-id"] : undefined;
      const maximum = isFields(value) ? value["maximum-resource-capability"] : undefined;
      if (typeof appId === "string" && isFields(maximum))
        return { appId, maximumMiB: Number(maximum["memory"]) };
      const message = "it named none";
      throw submitError("SUBMIT_ERR_HADOOP_REFUSED", {
        server,
        ...asked,
        exception: "no application-id",
        message,
      });
    },
    async submit(appId, body) {
      const asked = { method: "POST", path: root, what: "submit", of: appId, json: body } as const;
      const answer = await call({ ...asked, accepted: [400, 403] });
      if (answer.status < 300) return;
      const reason = remoteExceptionIn(answer)?.message ?? "it gave no reason";
      throw submitError("SUBMIT_ERR_YARN_SUBMIT", { appId, reason });
    },
    async report(appId) {
      const asked = { method: "GET", path: `${root}/${appId}`, what: "look at", of: appId } as const;
      const { status, value } = await ask({ ...asked, accepted: [404] });
      if (status === 404) return undefined;
      const report = readAppReport(value);
      if (report !== undefined) return report;
      const message = "it told of no application";
      throw submitError("SUBMIT_ERR_HADOOP_REFUSED", { server, ...asked, exception: "no app", message });
    },
    async kill(appId) {
      const { value } = await ask({
        ...{ method: "PUT", path: `${root}/${appId}/state`, what: "kill", of: appId },
        json: { state: "KILLED" },
      });
      return isFields(value) && ["KILLED", "FINISHED", "FAILED"].includes(String(value["state"]));
    },
  };
}
