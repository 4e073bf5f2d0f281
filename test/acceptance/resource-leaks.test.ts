import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect } from "vitest";
import { testWith } from "../test-with.ts";
import { requestApi } from "./background-api.ts";
import { run, temporaryDirectory, withSpark } from "./programs.ts";

/** Number of rounds; the slow suite runs more, with pods. */
const rounds = Number(process.env["FIRESTEEL_ROUNDS"] ?? 3);
const runsPods = process.env["FIRESTEEL_ROUNDS"] !== undefined;

/** Processes, mounts and files that a cluster could leak, recognized by its state directory. */
function leftovers(state: string): Readonly<Record<string, readonly string[]>> {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const own = all.filter((pid) => isOf(pid, state));
  return {
    processes: own.map((pid) => toArgv(pid).join(" ")),
    mounts: readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .filter((line) => line.includes(state)),
    state: readdirSync(`${state}/clusters`),
  };
}

function toArgv(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Returns whether a process is a zombie; some containers have no process that reaps them. */
function isOf(pid: string, state: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    return environment.includes(state) && readlinkSync(`/proc/${pid}/exe`) !== "";
  } catch {
    return false;
  }
}

/** Resources without an owner's name. Other processes may create some meanwhile, so compare only their number. */
function shared(): Readonly<Record<string, readonly string[]>> {
  const named = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("firesteel-"));
  return { memory: named("/dev/shm"), cgroups: cgroups() };
}

function cgroups(): readonly string[] {
  const found = execFileSync("find", ["/sys/fs/cgroup", "-maxdepth", "4", "-name", "firesteel*"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return found.split("\n").filter((line) => line !== "");
}

const pods = "/api/v1/namespaces/default/pods";

async function runPod(kubeconfig: string, name: string): Promise<void> {
  const container = { name: "a", image: "busybox", command: ["sleep", "1000"] };
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: [container] } };
  expect(await requestApi(kubeconfig, "POST", pods, { body })).toMatchObject({ status: 201 });
  const phase = async () => JSON.parse((await requestApi(kubeconfig, "GET", `${pods}/${name}`)).text).status.phase;
  await expect.poll(phase, { timeout: 30_000 }).toBe("Running");
}

testWith("Linux")(`${rounds} rounds of start and end leave nothing`, async () => {
  const [state, temporary] = [temporaryDirectory(), temporaryDirectory()];
  const env = withSpark({ FIRESTEEL_STATE: state, TMPDIR: temporary });
  const before = shared();
  const firesteel = async (...args: string[]) => {
    const outcome = await run("firesteel", ["cluster", ...args], { env });
    expect(outcome).toMatchObject({ exit: 0 });
    return outcome.stdout;
  };
  const addresses = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const started = await firesteel("start", "--json", ...(runsPods ? [] : ["--api-only"]));
    const { url, kubeconfig }: { url: string; kubeconfig: string } = JSON.parse(started);
    addresses.add(url);
    if (runsPods) await runPod(kubeconfig, `round-${round}`);
    // Every second cluster is only stopped, and restarted by the next round.
    await firesteel(round % 2 === 0 ? "stop" : "delete");
  }
  await firesteel("delete");
  expect(leftovers(state)).toEqual({ processes: [], mounts: [], state: [] });
  expect(readdirSync(temporary)).toEqual([]);
  for (const [kind, names] of Object.entries(shared())) {
    const fresh = names.filter((name) => before[kind]?.includes(name) !== true);
    expect({ kind, isLeft: fresh.length >= rounds }).toEqual({ kind, isLeft: false });
  }
  // A leaked port would have shifted every later one.
  expect(addresses.size).toBeLessThan(rounds);
});
