import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { CompletionData } from "../completion/completion-data.ts";
import { runCompletionCommand } from "./completion.ts";

const data: CompletionData = {
  commands: {
    "": { subcommands: [], options: [], acceptsSparkOptions: false, argument: "none" },
    logs: { subcommands: [], options: [], acceptsSparkOptions: true, argument: "driver" },
  },
  sparkOptions: [{ names: ["--verbose"], text: "Additional output." }],
  settings: [],
};

async function run(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const host = testHost({ files });
  const path = `${host.programPath.split("/").slice(0, -3).join("/")}/dist/bin/parts/completion.json`;
  const complete = testHost({ files: { [path]: JSON.stringify(data), ...files } });
  const ended = complete.clock.settle(runCompletionCommand(complete, args));
  return { exit: await ended, out: complete.outText(), error: complete.errorText() };
}

test.each(["bash", "zsh", "fish"])("prints the script for %s, for all programs", async (shell) => {
  const { exit, out, error } = await run([shell]);
  expect([exit, error]).toEqual([0, ""]);
  expect(out).toContain(`firesteel completion suggest ${shell} `);
  expect(out).toContain("firesteel spark-submit pyspark spark-shell");
});

test("suggests options with their descriptions", async () => {
  const expected = { exit: 0, out: "full\n--verbose\tAdditional output.\n", error: "" };
  expect(await run(["suggest", "fish", "/opt/bin/spark-submit", "--v"])).toEqual(expected);
  expect((await run(["suggest", "bash", "spark-submit --v"])).out).toBe("full\n--verbose\n");
});

test("prints nothing if data, shell or cluster are missing", async () => {
  const nothing = { exit: 0, out: "", error: "" };
  expect(await run(["suggest", "csh", "spark-submit", ""])).toEqual(nothing);
  expect(await run(["suggest", "fish"])).toEqual({ ...nothing, out: "file\n" });
  expect(await run(["suggest", "fish", "firesteel", "logs", ""])).toEqual(nothing);
  expect(await run(["suggest", "fish", "firesteel", "logs", "--master=k8s://embedded", ""])).toEqual(nothing);
});

test("rejects other arguments and prints usage", async () => {
  await expect(run(["tcsh"])).rejects.toThrow("Unknown command: completion tcsh");
  await expect(run(["bash", "--x"])).rejects.toThrow("--x");
  expect((await run(["zsh", "--help"])).out).toMatch(/^Usage: firesteel completion zsh/);
});
