import { stagingOptions, variableOf } from "../../src/cli/commands/staging-server/option-texts.ts";
import { stagingServerEntries } from "../../src/conf/entries/staging-server.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/staging-server-options.md`. */
export function stagingServerPage(): string {
  const rows = stagingOptions.map((option) => {
    const { key, alternatives, defaultText, doc } = stagingServerEntries[option];
    const keys = [key, ...alternatives].map(code).join("\n");
    return [`${code(`--${option}`)}\n${code(variableOf(option))}\n${keys}`, code(defaultText), doc];
  });
  return `${[
    generatedNote("src/conf/entries/staging-server.ts"),
    "# Options of the staging server",
    [
      "You can set each option of `firesteel staging-server` on the command line, as an environment variable, and in the properties",
      "file: the first of these counts. Keys with `spark.kubernetes.` and `spark.ssl.` are those of the staging server of Spark on",
      "Kubernetes 2.2. Write sizes and durations as in Spark: `10g`, `64m`, `30s`, `1h`; a number without a unit is in bytes or",
      "milliseconds.",
    ].join("\n"),
    table(["option", "default", "meaning"], rows),
  ].join("\n\n")}\n`;
}
