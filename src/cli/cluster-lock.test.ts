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

  test("leaves the lock to the process that took it over first", () => {
    const { host, holder } = machine();
    host.files.link("999", lock);
    const rename: typeof host.files.rename = (from, to) => {
      if (from === lock && holder() === "999") {
        host.files.remove(lock);
        host.files.link("1000", lock);
      }
      host.files.rename(from, to);
    };
    const late = { ...host, files: { ...host.files, rename } };
    expect(() => takeLock(late, "default")).toThrow(/already serves the cluster/);
    expect(holder()).toBe("1000");
  });
});
