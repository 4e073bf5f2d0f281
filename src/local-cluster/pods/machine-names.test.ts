import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { machineNames } from "./machine-names.ts";

const hostsFile = "127.0.0.1\tlocalhost\n127.0.1.1 laptop.lan laptop # me\n::1 localhost ip6-localhost\n\n";

function machine(hostname: string, spawn?: TestHostOptions["spawn"]) {
  const files = { "/etc/hosts": hostsFile, "/proc/sys/kernel/hostname": `${hostname}\n` };
  return testHost({ files, ...(spawn === undefined ? {} : { spawn }) });
}

describe("the names of a machine", () => {
  test("are those of its hosts file, but for the loopback's own", async () => {
    expect(await machineNames(machine("laptop"))).toEqual([["127.0.1.1", "laptop.lan", "laptop"]]);
  });

  test("have its host name when only the system's resolver knows that", async () => {
    const host = machine("fedora", (child) => {
      if (child.args.join(" ") !== "ahostsv4 fedora") return "missing";
      child.write(1, "192.0.2.7      STREAM fedora\n192.0.2.7      DGRAM\n");
      child.exit(0);
      return undefined;
    });
    expect(await machineNames(host)).toContainEqual(["192.0.2.7", "fedora"]);
  });

  test("are no more when the resolver does not answer, or knows nothing", async () => {
    const silent = machine("fedora", () => undefined);
    expect(await silent.settle(machineNames(silent))).toHaveLength(1);
    expect(await machineNames(machine("fedora"))).toHaveLength(1);
  });
});
