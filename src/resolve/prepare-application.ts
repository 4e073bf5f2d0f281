import type { Behaviors } from "../conf/behaviors.ts";
import type { Setting } from "../conf/setting.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import type { SparkVersion } from "../conf/spark-version.ts";
import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import { languageOf, runnerClasses } from "../plan/app-resource.ts";
import type { ClusterManager } from "../plan/cluster-manager.ts";
import type { ApplicationRequest } from "../plan/submit-request.ts";
import { readMainClass } from "./jar-manifest.ts";
import { prepareSettings } from "./prepare-settings.ts";
import type { ResolvedSettings } from "./resolve-settings.ts";
import { submitterPaths } from "./submitter-paths.ts";
import { substitutionSources } from "./substitution-sources.ts";

/** Target of an application in cluster mode. */
interface ApplicationTarget {
  readonly manager: ClusterManager;
  /** Value of `spark.master`, e.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly version: SparkVersion;
}

/** A prepared application and its problems. */
interface DraftApplication {
  readonly request: ApplicationRequest;
  readonly issues: readonly Issue[];
}

/** Prepares an application for cluster mode: turns fields into settings and paths into URIs, and finds the main class. */
export async function prepareApplication(
  { host, invocation, fields, resource, behaviors, issues }: Omit<ResolvedSettings, "master" | "rejection">,
  { manager, master, settings, version }: ApplicationTarget,
): Promise<DraftApplication> {
  const kind = languageOf(invocation.resource);
  const specified = fields.get("mainClass")?.value;
  const mainClass = await decideMainClass({ kind, specified, resource, host, behaviors });
  const prepared = prepareSettings({
    ...{ host, fields, settings, resource, manager, master },
    paths: submitterPaths(host),
    specifiedResource: invocation.resource,
  });
  const request = {
    appResource: { kind, uri: resource },
    mainClass: mainClass.ok ? mainClass.value : "",
    appArgs: invocation.appArgs,
    proxyUser: fields.get("proxyUser")?.value,
    conf: new SparkConf(prepared.settings, version, substitutionSources(host)),
    behaviors,
  };
  return { request, issues: [...issues, ...prepared.issues, ...issuesOf(mainClass)] };
}

interface MainClassSources {
  readonly kind: ReturnType<typeof languageOf>;
  readonly specified: string | undefined;
  readonly resource: string;
  readonly host: Host;
  readonly behaviors: Behaviors;
}

async function decideMainClass({ kind, specified, resource, ...reader }: MainClassSources): Promise<Result<string>> {
  if (kind !== "java") return success(runnerClasses[kind]);
  return specified === undefined ? await readMainClass(resource, reader) : success(specified);
}
