import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { memoryWatch } from "./memory-watch.ts";
import { boundsOf } from "./resource-bounds.ts";

const mebi = 1024;

/** Creates a machine with a container's process 7 and its child 8, and a record of killed processes. */
function machine() {
  const killed: number[] = [];
  const host = testHost();
  const { files } = host;
  const set = (pid: number, children: string, memory: { resident: number; proportional?: number }) => {
    files.makeDirectory(`/proc/${pid}/task/${pid}`);
    files.write(`/proc/${pid}/task/${pid}/children`, children);
    files.write(`/proc/${pid}/status`, `Name:\tx\nRssAnon:\t  ${memory.resident * mebi} kB\nRssShmem:\t  0 kB\n`);
    if (memory.proportional === undefined) return;
    files.write(`/proc/${pid}/smaps_rollup`, `Pss_Anon:      ${memory.proportional * mebi} kB\nPss_Shmem:  0 kB\n`);
  };
  const kill = (pid: number) => killed.push(pid) > 0;
  const limits = { memory: "100Mi" };
  return {
    host,
    set,
    killed,
    confinement: memoryWatch({ ...host, kill }).confine(boundsOf({ resources: { limits } })),
  };
}

test("kills a container's group when its processes together exceed the limit", async () => {
  const { host, set, killed, confinement } = machine();
  set(7, "8 ", { resident: 60 });
  set(8, "", { resident: 30 });
  confinement.onStarted(7);
  await host.advance(1000);
  expect(killed).toEqual([]);
  set(8, "", { resident: 50 });
  await host.advance(250);
  expect(killed).toEqual([-7]);
  expect(confinement.end()).toBe(true);
});

test("counts memory that forked processes share once", async () => {
  const { host, set, killed, confinement } = machine();
  set(7, "8 ", { resident: 60, proportional: 30 });
  set(8, "", { resident: 60, proportional: 30 });
  confinement.onStarted(7);
  await host.advance(1000);
  expect(killed).toEqual([]);
  expect(confinement.end()).toBe(false);
});
