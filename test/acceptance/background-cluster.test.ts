import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { errorCodes } from "../../src/errors/codes.ts";

const state = mkdtempSync(join(tmpdir(), "firesteel-state-"));
const directory = join(state, "clusters", "default");

/** Runs `firesteel` to its end. */
async function firesteel(...words: string[]): Promise<{ code: number | null; out: string; error: string }> {
  const child = spawn(process.execPath, ["dist/bin/firesteel.cjs", ...words], {
    env: { ...process.env, FIRESTEEL_STATE: state },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, error] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    error += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, error };
}

interface Facts {
  readonly pid: number;
  readonly url: string;
  readonly kubeconfig: string;
}

function parseFacts(text: string): Facts {
  return JSON.parse(text);
}

afterAll(async () => {
  await firesteel("cluster", "stop");
  rmSync(state, { recursive: true, force: true });
});

describe("a cluster in the background", () => {
  test("is started once, told of, used, and stopped with nothing left", async () => {
    const started = await firesteel("cluster", "start", "--api-only", "--json");
    expect(started).toMatchObject({ code: 0, error: "" });
    const facts = parseFacts(started.out);
    expect(statSync(facts.kubeconfig).mode & 0o777).toBe(0o600);
    expect(readFileSync(facts.kubeconfig, "utf8")).toContain(facts.url);
    expect(started.out).not.toContain("token");

    const again = await firesteel("cluster", "start", "--api-only");
    expect(again).toMatchObject({ code: 0, error: 'The cluster "default" is running already.\n' });
    expect((await firesteel("cluster", "status")).code).toBe(0);
    expect((await firesteel("cluster", "env")).out).toBe(`export KUBECONFIG=${facts.kubeconfig}\n`);
    expect(await firesteel("demo")).toMatchObject({
      code: 1,
      error: expect.stringContaining(errorCodes.SUBMIT_ERR_CLUSTER_API_ONLY.text({ name: "default" })),
    });

    expect(await firesteel("cluster", "stop")).toMatchObject({
      code: 0,
      out: 'Cluster "default" stopped.\n',
    });
    expect(existsSync(directory)).toBe(false);
  });

  test("that was killed is no cluster any more, and the next one starts in its place", async () => {
    const { pid } = parseFacts((await firesteel("cluster", "start", "--api-only", "--json")).out);
    process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await firesteel("cluster", "status")).code).toBe(1);
    const next = parseFacts((await firesteel("cluster", "start", "--api-only", "--json")).out);
    expect(next.pid).not.toBe(pid);
    await firesteel("cluster", "stop");
  });

  test("started twice at once is one cluster", async () => {
    const starts = await Promise.all([1, 2].map(() => firesteel("cluster", "start", "--api-only", "--json")));
    const pids = starts.filter(({ code }) => code === 0).map(({ out }) => parseFacts(out).pid);
    expect(new Set(pids).size).toBe(1);
    expect(readdirSync(join(state, "clusters"))).toEqual(["default"]);
  });
});
