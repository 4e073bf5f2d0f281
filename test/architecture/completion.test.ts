import { expect, test } from "vitest";
import { collectHelp } from "../../scripts/build/help/collect-help.ts";
import { completionData } from "../../scripts/build/help/completion-data.ts";
import { serviceOptions } from "../../src/cli/commands/shuffle-service/service-properties.ts";
import { stagingOptions } from "../../src/cli/commands/staging-server/option-texts.ts";
import { complete } from "../../src/cli/completion/complete.ts";
import { main } from "../../src/cli/main.ts";
import { options } from "../../src/command-line/options.ts";
import { testHost } from "../../src/host/test-host.ts";
import { sources } from "./sources.ts";

const collected = await collectHelp();
const data = completionData(collected);
const commands = collected.filter(({ help }) => !/<command>/.test(help.synopsis[0] ?? "")).map(({ path }) => path);

/** All options that the sources name, of any command. */
const names = new Set(
  sources()
    .filter(({ isTest }) => !isTest)
    .flatMap(({ strings }) => strings.flatMap((text) => text.match(/(?<![\w-])--?[a-zA-Z][a-zA-Z-]*(?![\w-])/g) ?? [])),
);
const ofServers = [...stagingOptions, ...serviceOptions].map((option) => `--${option}`);
const universe = [...new Set([...names, ...ofServers])].filter((name) => name.startsWith("--") || name.length === 2);

/** Options that a command accepts but that users need not know, and help. */
const uncompleted = new Set([
  ...options.filter(({ hidden }) => hidden).map(({ flag }) => flag),
  "--help",
  "-h",
  "--version",
]);

/** Arguments with which a command accepts further options, or any. */
const contexts: Readonly<Record<string, readonly (readonly string[])[]>> = {
  diagnose: [[], ["--record=file"]],
  diff: [["--with-spark-version=4.3"]],
  // The option --json of spark-submit requires --status.
  submit: [[], ["--status=id"]],
  render: [[], ["--status=id"]],
  convert: [["--to=command"], ["--to=command", "--status=id"]],
};

/** Returns whether a command accepts an option. The unknown options after it let no command run. */
async function accepts(path: string, option: string): Promise<boolean> {
  const rejections = (contexts[path] ?? [[]]).map(async (selected) => {
    const host = testHost({ argv: [...path.split(" "), ...selected, option, "--unknown-1", "--unknown-2"] });
    await main(host);
    const error = host.errorText();
    const isRejected = error.includes(`: ${option}\n`);
    if (!isRejected) expect(`${path}: ${error}`).toContain("--unknown-");
    return isRejected;
  });
  return (await Promise.all(rejections)).includes(false);
}

test.each(commands.filter((path) => path !== "completion suggest"))(
  "completes exactly the options that firesteel %s accepts",
  async (path) => {
    const completion = complete(data, { program: "firesteel", args: [...path.split(" "), "-"] });
    const completed = completion.kind === "list" ? completion.suggestions.map(({ text }) => text) : [];
    const accepted: string[] = [];
    for (const option of universe) if (!uncompleted.has(option) && (await accepts(path, option))) accepted.push(option);
    expect(completed.filter((name) => !uncompleted.has(name)).sort()).toEqual(accepted.sort());
  },
);
