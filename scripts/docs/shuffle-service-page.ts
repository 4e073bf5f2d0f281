import { serviceOptions } from "../../src/cli/commands/shuffle-service/service-properties.ts";
import { shuffleServiceEntries, shuffleServiceFileEntries } from "../../src/conf/entries/shuffle-service.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/shuffle-service-options.md`. */
export function shuffleServicePage(): string {
  const options = serviceOptions.map((option) => {
    const { key, defaultText, doc } = shuffleServiceEntries[option];
    return [`${code(`--${option}`)}\n${code(key)}`, code(defaultText), doc];
  });
  const settings = Object.values(shuffleServiceFileEntries).map(({ key, alternatives, defaultText, doc }) => [
    [key, ...alternatives].map(code).join("\n"),
    code(defaultText),
    doc,
  ]);
  return `${[
    generatedNote("src/conf/entries/shuffle-service.ts"),
    "# Options of the shuffle service",
    [
      "You can set each option of `firesteel shuffle-service` on the command line and in the properties file; the command line counts",
      "first. Write sizes and durations as in Spark: `10g`, `64m`, `30s`, `1h`; a number without a unit is in bytes or milliseconds.",
    ].join("\n"),
    table(["option", "default", "meaning"], options),
    "## Settings of the properties file",
    "These settings of Spark have no option. Use the same values as the executors. The file can contain any other settings.",
    table(["setting", "default", "meaning"], settings),
  ].join("\n\n")}\n`;
}
