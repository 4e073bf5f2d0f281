import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { ContainerStop } from "./pod-progress.ts";
import { runningContainers } from "./running-containers.ts";

/** Creates containers that ignore signals, and records signals and events with their second. */
function machine() {
  const host = testHost();
  const start = host.clock.now();
  const logged: string[] = [];
  const log = (what: string) => logged.push(`${(host.clock.now() - start) / 1000} ${what}`);
  let requests: { readonly list: readonly ContainerStop[]; readonly graceMs: number } = {
    list: [],
    graceMs: 0,
  };
  let cancel = () => {};
  const step = () => {
    cancel();
    const next = running.stop(requests.list, requests.graceMs);
    if (next !== undefined) cancel = host.clock.after(next - host.clock.now(), step);
  };
  const running = runningContainers(host, step);
  return {
    ...{ host, logged },
    add(name: string, hookMs?: number) {
      const hook = hookMs === undefined ? undefined : () => host.clock.sleep(hookMs);
      running.add(name, {
        container: {
          signal: (signal) => log(`${signal} ${name}`),
          exited: new Promise(() => {}),
          exec: () => Promise.reject(new Error("unused")),
        },
        record: ({ message }) => log(message),
        hook,
      });
    },
    stop(list: readonly Partial<ContainerStop>[], graceMs: number) {
      requests = {
        list: list.map((request) => ({ name: "a", isDue: true, why: undefined, ...request })),
        graceMs,
      };
      step();
    },
  };
}

test("sends SIGTERM, then SIGKILL after the grace period", async () => {
  const { host, logged, add, stop } = machine();
  add("a");
  stop([{}], 5000);
  await host.advance(10_000);
  expect(logged).toEqual(["0 Stopping container a", "0 SIGTERM a", "5 SIGKILL a"]);
});

test("a later request shortens the grace period and never extends it", async () => {
  const { host, logged, add, stop } = machine();
  add("a");
  stop([{}], 30_000);
  await host.advance(1000);
  stop([{}], 4000);
  stop([{}], 60_000);
  await host.advance(60_000);
  expect(logged.slice(1)).toEqual(["0 SIGTERM a", "5 SIGKILL a"]);
});

test("the preStop hook consumes the grace period except two seconds", async () => {
  const quick = machine();
  quick.add("a", 2000);
  quick.stop([{}], 5000);
  await quick.host.advance(10_000);
  expect(quick.logged).toEqual(["0 Stopping container a", "2 SIGTERM a", "5 SIGKILL a"]);
  const slow = machine();
  slow.add("a", 60_000);
  slow.stop([{}], 5000);
  await slow.host.advance(10_000);
  expect(slow.logged.slice(1)).toEqual(["5 SIGTERM a", "7 SIGKILL a"]);
});

test("a container that is not due runs only its hook", async () => {
  const { host, logged, add, stop } = machine();
  add("a", 1000);
  stop([{ isDue: false }], 10_000);
  await host.advance(5000);
  expect(logged).toEqual(["0 Stopping container a"]);
  stop([{}], 10_000);
  await host.advance(10_000);
  expect(logged.slice(1)).toEqual(["5 SIGTERM a", "10 SIGKILL a"]);
});

test("kills immediately with the cause's message if the grace period is 0", async () => {
  const { logged, add, stop } = machine();
  add("a", 1000);
  stop([{ why: { message: "Container a failed liveness probe", graceMs: 0 } }], 30_000);
  expect(logged).toEqual(["0 Container a failed liveness probe", "0 SIGKILL a"]);
});
