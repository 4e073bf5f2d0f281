import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { errorCodes } from "../../src/errors/codes.ts";
import { requires } from "../test-with.ts";
import { type Outcome, root, run, temporaryDirectory, withSpark } from "./programs.ts";

const state = mkdtempSync(join(tmpdir(), "firesteel-state-"));
const directory = join(state, "clusters", "default");

/** Runs `firesteel` until it exits, with a state directory of its own. */
function firesteel(...args: string[]): Promise<Outcome> {
  return run("firesteel", args, { env: { FIRESTEEL_STATE: state } });
}

interface Facts {
  readonly pid: number;
  readonly url: string;
  readonly kubeconfig: string;
}

function parseFacts(text: string): Facts {
  return JSON.parse(text);
}

afterAll(() => {
  const env = { ...process.env, FIRESTEEL_STATE: state };
  spawnSync(process.execPath, [join(root, "dist", "bin", "firesteel.cjs"), "cluster", "delete"], { env });
  rmSync(state, { recursive: true, force: true });
});

describe("a cluster in the background", () => {
  test("starts once, shows its status, is used, stops, and is deleted without leftovers", async () => {
    const started = await firesteel("cluster", "start", "--api-only", "--json");
    expect(started).toMatchObject({ exit: 0, stderr: "" });
    const facts = parseFacts(started.stdout);
    expect(statSync(facts.kubeconfig).mode & 0o777).toBe(0o600);
    expect(readFileSync(facts.kubeconfig, "utf8")).toContain(facts.url);
    expect(started.stdout).not.toContain("token");

    const again = await firesteel("cluster", "start", "--api-only");
    expect(again).toMatchObject({ exit: 0, stderr: 'The cluster "default" is already running.\n' });
    expect((await firesteel("cluster", "start", "--spark-version", "3.5")).stderr).toBe(
      'The cluster "default" is already running, without a node (--api-only). To change that, run firesteel cluster stop first.\n',
    );
    expect((await firesteel("cluster", "status")).exit).toBe(0);
    expect((await firesteel("cluster", "env")).stdout).toBe(`export KUBECONFIG=${facts.kubeconfig}\n`);
    expect(await firesteel("demo")).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(errorCodes.SUBMIT_ERR_CLUSTER_API_ONLY.text({ name: "default" })),
    });

    expect(await firesteel("cluster", "stop")).toMatchObject({
      exit: 0,
      stdout: 'Cluster "default" stopped.\n',
    });
    expect(existsSync(facts.kubeconfig)).toBe(false);
    expect((await firesteel("cluster", "delete")).stdout).toBe('Cluster "default" deleted.\n');
    expect(existsSync(directory)).toBe(false);
  });

  test("needs no cache directory for an API without a node", async () => {
    const env = { FIRESTEEL_STATE: state, FIRESTEEL_CACHE: "/dev/null/cache" };
    expect(await run("firesteel", ["cluster", "start", "--api-only"], { env })).toMatchObject({ exit: 0, stderr: "" });
    await firesteel("cluster", "stop");
  });

  test("is replaced by the next one after it was killed", async () => {
    const { pid } = parseFacts((await firesteel("cluster", "start", "--api-only", "--json")).stdout);
    process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await firesteel("cluster", "status")).exit).toBe(1);
    const next = parseFacts((await firesteel("cluster", "start", "--api-only", "--json")).stdout);
    expect(next.pid).not.toBe(pid);
    await firesteel("cluster", "stop");
  });

  test("is one cluster when started twice concurrently", async () => {
    const starts = await Promise.all([1, 2].map(() => firesteel("cluster", "start", "--api-only", "--json")));
    const pids = starts.filter(({ exit }) => exit === 0).map(({ stdout }) => parseFacts(stdout).pid);
    expect(new Set(pids).size).toBe(1);
    expect(readdirSync(join(state, "clusters"))).toEqual(["default"]);
  });

  test("shows the network of its pods, and the reason if it is this machine's", async (context) => {
    requires("network namespaces")(context);
    requires("bubblewrap")(context);
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const withOwnState = { FIRESTEEL_STATE: join(directory, "state") };
    const statusWith = async (more: Readonly<Record<string, string>>) => {
      const env = { ...withSpark(withOwnState), ...more };
      const start = await run("firesteel", ["cluster", "start"], { env });
      const { stdout } = await run("firesteel", ["cluster", "status"], { env });
      const json: unknown = JSON.parse((await run("firesteel", ["cluster", "status", "--json"], { env })).stdout);
      await run("firesteel", ["cluster", "stop"], { env });
      return { start, stdout, json };
    };
    const own = await statusWith({});
    expect(own.start).toMatchObject({ exit: 0, stderr: "" });
    expect(own.stdout).toMatch(/^ {2}Network: +one per pod$/m);
    expect(own.json).toMatchObject({ network: "pod", notices: [] });

    writeFileSync(join(directory, "pasta"), "#!/bin/sh\necho 'no permission' >&2\nexit 1\n", { mode: 0o755 });
    const shared = await statusWith({ PATH: `${directory}:${process.env["PATH"]}` });
    const notice = expect.stringMatching(/^Pods share the network of this machine \(pasta: no permission\)/);
    expect(shared.start).toMatchObject({ exit: 0, stderr: expect.stringContaining("(pasta: no permission)") });
    expect(shared.stdout).toMatch(/^ {2}Network: +this machine's$/m);
    expect(shared.stdout).toMatch(/^ {2}Notice: +Pods share the network of this machine \(pasta: no permission\)/m);
    expect(shared.json).toMatchObject({ network: "shared", notices: [notice] });
  });
});

test("a cluster with a name has the defaults of the embedded cluster at k8s://embedded/NAME", async () => {
  const started = await firesteel("cluster", "start", "--name", "team", "--api-only", "--json");
  const { url } = parseFacts(started.stdout);
  try {
    const submission = ["--deploy-mode", "cluster", "--name", "pi", "local:///opt/pi.py"];
    const byUrl = await run("spark-submit", ["--master", `k8s://${url}`, ...submission], {
      env: { FIRESTEEL_STATE: state },
    });
    expect(byUrl.stderr).toMatch(
      /^Error: Must specify the driver container image\nHint: Set .* to spark:\d\S*\. Or pass --master k8s:\/\/embedded\/team, /,
    );
    const conf = ["--conf", "spark.kubernetes.submission.waitAppCompletion=false"];
    const byName = await run("spark-submit", ["--master", "k8s://embedded/team", ...conf, ...submission], {
      env: { FIRESTEEL_STATE: state },
    });
    expect([byName.exit, byName.stderr]).toEqual([0, expect.stringContaining("Deployed Spark application pi")]);
    const listed = await firesteel("ps", "--json", "--master", "k8s://embedded/team");
    expect(listed.stdout).toContain('"pi"');
    expect((await firesteel("ps", "--master", "k8s://embedded/other")).stderr).toBe(
      'Error: The cluster "other" is not running.\nHint: Start it: firesteel cluster start --name other\n',
    );
  } finally {
    await firesteel("cluster", "delete", "--name", "team");
  }
});
