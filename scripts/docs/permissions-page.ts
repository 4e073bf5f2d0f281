import {
  driverPermissions,
  featureNames,
  features,
  type Permission,
  submitterPermissions,
} from "../../src/setup/permissions.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/permissions.md`. */
export function permissionsPage(): string {
  return `${[
    generatedNote("src/setup/permissions.ts"),
    "# Permissions",
    introduction,
    "## Drivers",
    rows(driverPermissions),
    "## Submitters",
    rows(submitterPermissions),
    "## Features of --allow",
    ...featureNames.map((name) => {
      const { summary, driver = [], submitter = [], cluster } = features[name];
      const parts = [
        ["Drivers get:", driver],
        ["Submitters get:", submitter],
        ["Submitters get, in the whole cluster:", cluster?.permissions ?? []],
      ] as const;
      const tables = parts.filter(([, permissions]) => permissions.length > 0);
      const texts = tables.map(([title, permissions]) => `${title}\n\n${rows(permissions)}`);
      return `${code(name)}: ${summary}. ${texts.join("\n\n")}`;
    }),
  ].join("\n\n")}\n`;
}

const introduction = [
  "[`firesteel setup namespace`](namespace-setup.md) grants these permissions, and no others. Tests prove that drivers of Spark 3.5 to 4.3 and all",
  "calls of Firesteel's client work with them, and that each one is used.",
].join("\n");

function rows(permissions: readonly Permission[]): string {
  return table(
    ["API group", "resource", "verbs"],
    permissions.map(({ group, resource, verbs }) => [
      group === "" ? "core" : code(group),
      code(resource),
      verbs.join(", "),
    ]),
  );
}
