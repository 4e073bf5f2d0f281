import * as app from "../../conf/entries/app.ts";
import { driverEnv, driverSupervise } from "../../conf/entries/driver.ts";
import { dynamicAllocationEnabled } from "../../conf/entries/dynamic-allocation.ts";
import { executorCores, executorInstances } from "../../conf/entries/executor.ts";
import type { NewApplication } from "../model/applications.ts";
import type { CreateRequest } from "./parse-create-request.ts";

/** Properties that describe the submission to the master. The gateway sets their equivalents. */
const masterProperties: ReadonlySet<string> = new Set(
  [app.master, app.submitDeployMode, app.appSubmitTime, driverSupervise].map(({ key }) => key),
);

/** Variables that describe the client's machine and user, not the driver's. */
const clientVariables: ReadonlySet<string> = new Set([
  ...["SPARK_HOME", "SPARK_CONF_DIR", "SPARK_ENV_LOADED", "SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"],
  ...["SPARK_SCALA_VERSION", "SPARK_BEELINE_OPTS", "SPARK_USER"],
]);

/** Lists of files. */
const pathLists: ReadonlySet<string> = new Set(
  [app.jars, app.files, app.archives, app.submitPyFiles].map(({ key }) => key),
);

/** Directory in which the drivers of Spark's images run. */
const workDirectory = "/opt/spark/work-dir";

/**
 * Converts a request to an application. A path without a scheme and a `file:` URI are a file of the driver's machine, as on a standalone
 * worker: here a file of its image. Variables become variables of the driver; properties take precedence.
 */
export function toApplication(request: CreateRequest): Pick<NewApplication, "name" | "submission"> {
  const { appResource, mainClass, appArgs, sparkProperties, environmentVariables } = request;
  const resource = driverPath(appResource);
  const variables = Object.entries(environmentVariables)
    .filter(([name]) => !clientVariables.has(name))
    .map(([name, value]) => [`${driverEnv.prefix}${name}`, value] as const);
  const properties = Object.entries(sparkProperties)
    .filter(([key]) => !masterProperties.has(key) && !key.startsWith(`${app.master.key}.`))
    .map(([key, value]) => [key, pathLists.has(key) ? driverPaths(key, value, resource) : value] as const)
    // An empty list of files is none.
    .filter(([key, value]) => value !== "" || !pathLists.has(key));
  const settings = Object.fromEntries([...variables, ...properties]);
  return {
    name: sparkProperties[app.appName.key],
    submission: {
      fields: { mainClass },
      settings: { ...instancesFor(settings, sparkProperties[app.coresMax.key]), ...settings },
      ...{ resource, appArgs, templates: {} },
    },
  };
}

/** Converts a list of files. Spark's client repeats the application among the jars. */
function driverPaths(key: string, list: string, resource: string): string {
  return list
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "")
    .map(driverPath)
    .filter((path) => key !== app.jars.key || path !== resource)
    .join(",");
}

function driverPath(path: string): string {
  const local = /^file:(?:\/\/)?(\/.*)$/s.exec(path)?.[1];
  if (local !== undefined) return `local://${local}`;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(path)) return path;
  return path.startsWith("/") ? `local://${path}` : `local://${workDirectory}/${path}`;
}

/** Returns the number of executors for the cores of an application: Kubernetes has no such limit of its own. */
function instancesFor(
  settings: Readonly<Record<string, string>>,
  maxCores: string | undefined,
): Readonly<Record<string, string>> {
  const cores = Number(settings[executorCores.key]);
  const isDynamic = settings[dynamicAllocationEnabled.key] === "true";
  if (maxCores === undefined || isDynamic || !Number.isInteger(cores) || cores < 1) return {};
  return { [executorInstances.key]: String(Math.max(1, Math.floor(Number(maxCores) / cores))) };
}
