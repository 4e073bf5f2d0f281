import { expect, test } from "vitest";
import { capabilitiesOf, defaultCapabilities } from "./capabilities.ts";

test.each([
  [{}, defaultCapabilities],
  [{ drop: ["ALL"] }, []],
  [{ drop: ["all"], add: ["net_bind_service"] }, ["NET_BIND_SERVICE"]],
  [{ drop: ["CHOWN", "KILL"] }, defaultCapabilities.filter((name) => name !== "CHOWN" && name !== "KILL")],
  [{ add: ["NET_RAW"] }, [...defaultCapabilities, "NET_RAW"]],
  [{ add: ["ALL"], drop: ["NET_RAW"] }, [...defaultCapabilities, "IPC_LOCK", "SYS_NICE"]],
])("grants, adds and drops as containerd does: %j", (request, expected) => {
  expect(capabilitiesOf(request)).toEqual(expected);
});

test.each(["SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "DAC_READ_SEARCH", "MKNOD", "NET_ADMIN", "BPF"])(
  "does not grant a capability that leads out of the sandbox: %s",
  (name) => {
    expect(capabilitiesOf({ add: [name] })).toEqual(defaultCapabilities);
    expect(capabilitiesOf({ add: ["ALL"] })).not.toContain(name);
  },
);
