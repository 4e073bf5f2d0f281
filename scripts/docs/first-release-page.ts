import { type FirstReleaseEffect, firstReleaseKeys } from "../../src/conf/entries/first-release-keys.ts";
import { firstReleaseNamespace } from "../../src/conf/entries/first-release-namespace.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/first-release-settings.md`. */
export function firstReleasePage(): string {
  const keys = firstReleaseKeys().filter(({ key }) => key !== firstReleaseNamespace);
  const rows = keys.map(({ key, effect }) => [key.endsWith(".") ? `${code(key)}…` : code(key), describe(effect)]);
  return `${[
    generatedNote("src/conf/entries/first-release-keys.ts"),
    "# Settings of the first releases",
    introduction,
    table(["setting", "now"], rows),
  ].join("\n\n")}\n`;
}

const introduction = [
  "The first releases of Spark on Kubernetes (2016 and 2017, based on Spark 2.1 and 2.2) had other names for some settings. Firesteel accepts them",
  "on the command line and in properties files, replaces them, and logs a warning. A setting with the current name takes precedence. The option",
  "`--kubernetes-namespace` sets `spark.kubernetes.namespace`. All other settings of that time have kept their names. With `FIRESTEEL_STRICT=1`,",
  "settings are passed on as Apache's client does, and the option is rejected.",
].join("\n");

function describe(effect: FirstReleaseEffect): string {
  switch (effect.kind) {
    case "renamed":
      return code(effect.to);
    case "minutes":
      return `${code(effect.to)}; a number without a unit is in minutes`;
    case "list":
      return `${code(`${effect.to}NAME`)} for each name of the list`;
    case "none":
      return `no effect: ${effect.reason}`;
  }
}
