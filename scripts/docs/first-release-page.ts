import { type FirstReleaseEffect, firstReleaseKeys } from "../../src/conf/entries/first-release-keys.ts";
import { firstReleaseNamespace } from "../../src/conf/entries/first-release-namespace.ts";
import { declaredEntries, isEntry } from "../../src/conf/entries/topics.ts";
import { knownKeys } from "../../src/conf/known-settings.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/first-release-settings.md`. */
export function firstReleasePage(): string {
  const keys = firstReleaseKeys().filter(({ key }) => key !== firstReleaseNamespace);
  const rows = [
    ...keys.map(({ key, effect }) => [key.endsWith(".") ? `${code(key)}…` : code(key), describe(effect)]),
    ...unchangedKeys().map((key) => [key.endsWith(".") ? `${code(key)}NAME` : code(key), "unchanged"]),
  ];
  return `${[
    generatedNote("src/conf/entries/first-release-keys.ts"),
    "# Settings of the first releases",
    introduction,
    table(["setting", "now"], rows),
  ].join("\n\n")}\n`;
}

/** Lists the other settings of the user guide of that time. @throws Error if one is not known */
function unchangedKeys(): readonly string[] {
  const known = new Set([...knownKeys().keys(), ...declaredEntries().flatMap(keysOf)]);
  const account = ["caCertFile", "clientKeyFile", "clientCertFile", "oauthToken"];
  const keys = [
    "spark.kubernetes.namespace",
    ...["submission", "driver"].flatMap((who) => account.map((name) => `spark.kubernetes.authenticate.${who}.${name}`)),
    "spark.kubernetes.authenticate.driver.serviceAccountName",
    ...["allocation.batch.size", "report.interval", "submission.waitAppCompletion", "mountDependencies.timeout"].map(
      (name) => `spark.kubernetes.${name}`,
    ),
    ...["driver", "executor"].flatMap((role) =>
      ["limit.cores", "label.", "annotation.", "secrets."].map((name) => `spark.kubernetes.${role}.${name}`),
    ),
    ...["driver.pod.name", "executor.podNamePrefix", "node.selector.", "driverEnv."].map(
      (name) => `spark.kubernetes.${name}`,
    ),
    "spark.executorEnv.",
    ...["resourceStagingServer.uri", "resourceStagingServer.internal.uri"].map((name) => `spark.kubernetes.${name}`),
    ...["driver.serviceManagerType", "driver.service.exposeUiPort"].map((name) => `spark.kubernetes.${name}`),
  ];
  const unknown = keys.filter((key) => !known.has(key));
  if (unknown.length > 0) throw new Error(`Unknown settings: ${unknown.join(", ")}`);
  return keys;
}

function keysOf(declared: ReturnType<typeof declaredEntries>[number]): readonly string[] {
  return isEntry(declared) ? declared.alternatives : [];
}

const introduction = [
  "The first releases of Spark on Kubernetes (2016 and 2017, based on Spark 2.1 and 2.2) had other names for some settings. Firesteel accepts them",
  "on the command line and in properties files, replaces them, and logs a warning. A setting with the current name takes precedence. The option",
  "`--kubernetes-namespace` sets `spark.kubernetes.namespace`. With `FIRESTEEL_STRICT=1`,",
  "settings are passed on as Apache's client does, and the option is rejected.",
].join("\n");

function describe(effect: FirstReleaseEffect): string {
  switch (effect.kind) {
    case "renamed":
      return code(effect.to);
    case "duration":
      return `${code(effect.to)}; a number without a unit is in ${effect.unit === "min" ? "minutes" : "seconds"}`;
    case "seconds":
      return `unchanged; a number of at most ${effect.max} without a unit is in seconds, not in milliseconds as larger numbers`;
    case "list":
      return `${code(`${effect.to}NAME`)} for each name of the list`;
    case "none":
      return `no effect: ${effect.reason}`;
  }
}
