import { stagingOptions, variableOf } from "../../src/cli/commands/staging-server/option-texts.ts";
import { stagingServerEntries } from "../../src/conf/entries/staging-server.ts";
import { code, generatedNote, table } from "./table.ts";

/** `docs/staging-server-options.md`. */
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
      "Each option of `firesteel staging-server` is a word of the command line, a variable of the environment and a setting of the",
      "properties file; the first of these that has it wins. Keys with `spark.kubernetes.` and `spark.ssl.` are those of the staging",
      "server of 2017. Sizes and times are written as Spark's: `10g`, `64m`, `30s`, `1h`; a bare number is bytes or milliseconds.",
    ].join("\n"),
    table(["option", "default", "meaning"], rows),
  ].join("\n\n")}\n`;
}
