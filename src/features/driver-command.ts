import { pysparkDriverPython, pysparkPython } from "../conf/entries/app.ts";
import { resourceType } from "../conf/entries/driver.ts";
import { pythonVersionKey } from "../conf/entries/python-version-key.ts";
import type { EnvVar } from "../kube/types.ts";
import { runnerClasses } from "../plan/app-resource.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { internalResource } from "../values/dependency-uri.ts";
import { pythonVersionIssues, pythonVersionWarnings } from "./python-version.ts";
import type { FeatureStep } from "./step.ts";
import { inParts } from "./step-parts.ts";

/** Arguments of the image's entry point, and the Python programs. */
export const driverCommand: FeatureStep<DriverConf> = {
  name: "DriverCommandFeatureStep",
  check: (driver) =>
    driver.appResource.kind === "python"
      ? [
          ...driver.conf.check([pysparkPython, pysparkDriverPython]),
          ...(isPythonVersionSpecified(driver) ? pythonVersionIssues(driver.conf) : []),
        ]
      : [],
  ...inParts<DriverConf>(
    (driver) => ({ container: { args: driverArguments(driver) } }),
    (driver) => ({ env: driver.appResource.kind === "python" ? pythonVariables(driver) : [] }),
    ({ appResource }) => ({ properties: { [resourceType.key]: appResource.kind } }),
    (driver) => ({ warnings: isPythonVersionSpecified(driver) ? pythonVersionWarnings() : [] }),
  ),
};

function isPythonVersionSpecified({ conf, traits, appResource }: DriverConf): boolean {
  return appResource.kind === "python" && traits.pythonVersionKey && conf.text(pythonVersionKey) !== undefined;
}

function driverArguments(driver: DriverConf): string[] {
  const { appResource, dependencies, staged, mainClass, proxyUser, appArgs } = driver;
  const { kind } = appResource;
  // A local jar is passed in the list of jars, so the driver gets no primary resource.
  const isInJars = kind === "java" && dependencies.application?.kind === "submitterLocal";
  const resource = isInJars ? internalResource : staged.appResource;
  return [
    "driver",
    ...(proxyUser === undefined ? [] : ["--proxy-user", proxyUser]),
    "--properties-file",
    "/opt/spark/conf/spark.properties",
    "--class",
    kind === "java" ? mainClass : runnerClasses[kind],
    resource,
    ...appArgs,
  ];
}

function pythonVariables({ conf, facts }: DriverConf): readonly EnvVar[] {
  const python = conf.get(pysparkPython);
  const { PYSPARK_PYTHON, PYSPARK_DRIVER_PYTHON } = facts.env;
  return [
    ...variable("PYSPARK_PYTHON", [python, PYSPARK_PYTHON]),
    ...variable("PYSPARK_DRIVER_PYTHON", [
      conf.get(pysparkDriverPython),
      python,
      PYSPARK_DRIVER_PYTHON,
      PYSPARK_PYTHON,
    ]),
  ];
}

function variable(name: string, candidates: readonly (string | undefined)[]): readonly EnvVar[] {
  const value = candidates.find((candidate) => candidate !== undefined);
  return value === undefined ? [] : [{ name, value }];
}
