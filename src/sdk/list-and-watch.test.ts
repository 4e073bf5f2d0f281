import { expect, test } from "vitest";
import type { Pod } from "../kube/types.ts";
import type { DriverFollower } from "./driver-watch.ts";
import { type ListOptions, watchIn } from "./list-and-watch.ts";

function driver(phase: string, name = "a"): Pod {
  return {
    metadata: { name, namespace: "ns", uid: `uid-${name}` },
    spec: { containers: [{ name: "spark-kubernetes-driver" }] },
    status: { phase },
  };
}

/** Watches drivers, whose changes the test reports. */
function watching(states?: ListOptions["states"]) {
  const followers: DriverFollower[] = [];
  const followAll = (follower: DriverFollower) => {
    followers.push(follower);
    return () => {};
  };
  const watch = () => ({ followAll, follow: () => () => {}, close() {} });
  const stopped = new AbortController();
  const changes = watchIn({ cluster: { watch }, namespace: "ns" }, { states }, stopped.signal);
  return {
    report: (object: Pod, isDeleted = false) => followers[0]?.onDriver({ object, isDeleted }),
    async next() {
      const { value } = await changes.next();
      return value ? `${value.type} ${value.application.podName} ${value.application.state}` : "ended";
    },
    /** Reads all that was reported before an application z. */
    async rest() {
      const read: string[] = [];
      this.report(driver("Running", "z"));
      while (read.at(-1) !== "added z running") read.push(await this.next());
      return read.slice(0, -1);
    },
  };
}

test("a watch of states reports applications that enter and leave them", async () => {
  const { report, next } = watching(["running"]);
  const first = next();
  report(driver("Pending"));
  report(driver("Running"));
  expect(await first).toBe("added a running");
  report(driver("Failed"));
  expect(await next()).toBe("left a failed");
  report(driver("Running"));
  expect(await next()).toBe("added a running");
  report(driver("Running"), true);
  expect(await next()).toBe("deleted a deleted");
});

test("a watch of states reports no application that was never in them", async () => {
  const watched = watching(["running"]);
  const first = watched.next();
  watched.report(driver("Running", "y"));
  expect(await first).toBe("added y running");
  watched.report(driver("Failed"));
  watched.report(driver("Failed"), true);
  expect(await watched.rest()).toEqual([]);
});

test("a slow reader gets no state that has passed", async () => {
  const watched = watching(["running"]);
  const first = watched.next();
  watched.report(driver("Running", "y"));
  expect(await first).toBe("added y running");
  watched.report(driver("Running", "a"));
  watched.report(driver("Failed", "a"));
  watched.report(driver("Failed", "y"));
  expect(await watched.rest()).toEqual(["left y failed"]);
});

test("a watch of all states reports an application that was deleted unread", async () => {
  const { report, next } = watching();
  const first = next();
  report(driver("Pending"));
  report(driver("Running"));
  report(driver("Running"), true);
  expect(await first).toBe("deleted a deleted");
  report(driver("Pending", "b"));
  expect(await next()).toBe("added b pending");
  report(driver("Running", "b"));
  expect(await next()).toBe("changed b running");
});
