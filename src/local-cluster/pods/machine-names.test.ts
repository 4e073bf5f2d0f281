import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { machineNames } from "./machine-names.ts";

const hostsFile = "127.0.0.1\tlocalhost\n127.0.1.1 laptop.lan laptop # me\n::1 localhost ip6-localhost\n\n";

function machine(hostname: string, spawn?: TestHostOptions["spawn"]) {
  const files = { "/etc/hosts": hostsFile, "/proc/sys/kernel/hostname": `${hostname}\n` };
  return testHost({ files, ...(spawn === undefined ? {} : { spawn }) });
}

describe("the names of a machine", () => {
  test("come from its hosts file, except the loopback's own", async () => {
    expect(await machineNames(machine("laptop"))).toEqual([["127.0.1.1", "laptop.lan", "laptop"]]);
  });

  test("include a host name that only the system's resolver knows", async () => {
    const host = machine("fedora", (child) => {
      if (child.args.join(" ") !== "ahostsv4 fedora") return "missing";
      child.write(1, "192.0.2.7      STREAM fedora\n192.0.2.7      DGRAM\n");
      child.exit(0);
      return undefined;
    });
    expect(await machineNames(host)).toContainEqual(["192.0.2.7", "fedora"]);
  });

  test("include nothing more when the resolver does not respond or finds nothing", async () => {
    const unresponsive = machine("fedora", () => undefined);
    expect(await unresponsive.settle(machineNames(unresponsive))).toHaveLength(1);
    expect(await machineNames(machine("fedora"))).toHaveLength(1);
  });
});
