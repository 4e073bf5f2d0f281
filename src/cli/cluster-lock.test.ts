import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { takeLock } from "./cluster-lock.ts";

const lock = "/s/clusters/default/lock";

function machine() {
  const host = testHost({ env: { FIRESTEEL_STATE: "/s" }, files: { "/s/clusters/default": null } });
  return { host, holder: () => host.files.readLink(lock) };
}

describe("takeLock", () => {
  test("takes over the lock of a process that has ended", () => {
    const { host, holder } = machine();
    host.files.link("999", lock);
    takeLock(host, "default");
    expect(holder()).toBe(String(host.pid));
    expect(host.files.list("/s/clusters/default")).toEqual(["lock"]);
  });

  test("takes over the lock of an ended process that had the ID of this process", () => {
    const { host, holder } = machine();
    host.files.link(String(host.pid), lock);
    takeLock(host, "default");
    expect(holder()).toBe(String(host.pid));
  });

  test("takes over the lock if a process ended while it removed the lock of another", () => {
    const { host, holder } = machine();
    host.files.link("999", lock);
    host.files.link("998", `${lock}.999`);
    takeLock(host, "default");
    expect(holder()).toBe(String(host.pid));
    expect(host.files.list("/s/clusters/default")).toEqual(["lock"]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "gives the lock to one of two processes if one acts before step %i of the other",
    (step) => {
      const { host, holder } = machine();
      host.files.link("999", lock);
      const kill = (pid: number) => pid === 1000 || pid === host.pid;
      const takers: string[] = [];
      const take = (taker: typeof host) => {
        try {
          takeLock(taker, "default");
          takers.push(String(taker.pid));
        } catch (error) {
          expect(error).toHaveProperty("message", expect.stringMatching(/already serves the cluster/));
        }
      };
      let left = step;
      const interrupted = <A extends unknown[], R>(call: (...args: A) => R) => {
        return (...args: A): R => {
          left -= 1;
          if (left === 0) take({ ...host, pid: 1000, kill });
          return call(...args);
        };
      };
      const { readLink, link, remove } = host.files;
      const files = {
        ...host.files,
        ...{ readLink: interrupted(readLink), link: interrupted(link), remove: interrupted(remove) },
      };
      take({ ...host, files, kill });
      expect(takers).toEqual([holder()]);
      expect(host.files.list("/s/clusters/default")).toEqual(["lock"]);
    },
  );
});
