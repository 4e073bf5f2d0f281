import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { cgroupControl } from "./cgroups.ts";
import { boundsOf } from "./resource-bounds.ts";
import { startWatchdog } from "./watchdog.ts";

/** Creates a machine where a process can be moved into the groups whose path matches. */
async function machine(files: Readonly<Record<string, string>>, allowed: RegExp) {
  const host = testHost({
    files,
    spawn: (child) => {
      if (child.command === "/bin/sh") child.exit(allowed.test(child.args.at(-1) ?? "") ? 0 : 1);
    },
  });
  const control = await cgroupControl({ host, watchdog: startWatchdog(host) });
  const resources = { limits: { memory: "1Gi", cpu: "1500m" }, requests: { cpu: "1" } };
  return { host, control, confinement: control?.confine(boundsOf({ resources })) };
}

test("creates one group for memory and one for CPUs on cgroup v1", async () => {
  const files = {
    "/proc/self/cgroup": "3:cpuacct,cpu:/\n4:memory:/mine\n",
    "/sys/fs/cgroup/memory/mine/tasks": "",
  };
  const { confinement } = await machine({ ...files, "/sys/fs/cgroup/cpu/tasks": "" }, /./);
  expect(confinement?.enter("/bin/true", ["a"])).toEqual([
    "/bin/sh",
    "-c",
    'echo $$ > "$1/cgroup.procs" && echo $$ > "$2/cgroup.procs" && shift 2 && exec "$@"',
    "sh",
    expect.stringMatching(/^\/sys\/fs\/cgroup\/memory\/mine\/firesteel-[^/]+\/1$/),
    expect.stringMatching(/^\/sys\/fs\/cgroup\/cpu\/firesteel-[^/]+\/1$/),
    "/bin/true",
    "a",
  ]);
});

test("uses the nearest delegated group of an unprivileged user on cgroup v2 and reports an OOM kill", async () => {
  const files = {
    "/proc/self/cgroup": "0::/user.slice/manager/app.slice/terminal.scope\n",
    "/sys/fs/cgroup/cgroup.controllers": "memory cpu",
    "/sys/fs/cgroup/user.slice/manager/app.slice/cgroup.procs": "",
  };
  const { host, confinement } = await machine(files, /app\.slice/);
  const [, , , , path = ""] = confinement?.enter("x", []) ?? [];
  expect(path).toMatch(/^\/sys\/fs\/cgroup\/user\.slice\/manager\/app\.slice\/firesteel-[^/]+\/1$/);
  host.files.write(`${path}/memory.events`, "oom 1\noom_kill 1\n");
  expect(confinement?.end()).toBe(true);
});

test("creates no group for a container without limits", async () => {
  const files = { "/proc/self/cgroup": "4:memory:/\n", "/sys/fs/cgroup/memory/tasks": "" };
  const { control } = await machine(files, /./);
  expect(control?.confine(boundsOf({})).enter("/bin/true", ["a"])).toEqual(["/bin/true", "a"]);
});

test("returns undefined when no group accepts a process", async () => {
  const { control } = await machine(
    { "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cgroup.controllers": "memory cpu" },
    /nowhere/,
  );
  expect(control).toBeUndefined();
});
