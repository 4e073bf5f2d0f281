import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { CompletionData } from "../completion/completion-data.ts";
import { runCompletionCommand } from "./completion.ts";

const data: CompletionData = {
  commands: {
    "": { subcommands: [], options: [], acceptsSparkOptions: false, argument: "none" },
    logs: { subcommands: [], options: [], acceptsSparkOptions: true, argument: "driver" },
  },
  sparkOptions: [
    { names: ["--verbose"], text: "Additional output." },
    { names: ["--master"], text: "", value: "master", choices: ["k8s://embedded", "local"] },
  ],
  settings: [],
};

async function run(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const host = testHost({ files });
  const path = `${host.programPath.split("/").slice(0, -3).join("/")}/dist/bin/parts/completion.json`;
  const complete = testHost({ files: { [path]: JSON.stringify(data), ...files } });
  const machine = { ...complete, kill: (pid: number) => pid === complete.pid };
  const ended = complete.clock.settle(runCompletionCommand(machine, args));
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

test("suggests the masters of running clusters, without those that have ended", async () => {
  const record = (name: string, pid: number) => [
    `/home/tester/.local/state/firesteel/clusters/${name}/cluster.json`,
    JSON.stringify({ name, pid, url: "https://127.0.0.1:1" }),
  ];
  const files = Object.fromEntries([record("default", 4242), record("team", 4242), record("ended", 999)]);
  const masters = async (...line: readonly string[]) =>
    (await run(["suggest", "fish", "spark-submit", ...line], files)).out;
  expect(await masters("--master", "k8s://e")).toBe("full\nk8s://embedded\nk8s://embedded/team\trunning\n");
  expect(await masters("--master=k8s://embedded/")).toBe("full\n--master=k8s://embedded/team\trunning\n");
  expect((await run(["suggest", "bash", "spark-submit --master k8s://embedded/"], files)).out).toBe(
    "full\n//embedded/team\n",
  );
  expect(await masters("--master", "lo")).toBe("full\nlocal\n");
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
