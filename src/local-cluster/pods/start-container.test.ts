import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import type { Image } from "../images/image.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { startContainerProcess } from "./start-container.ts";
import type { StoredPod } from "./stored-object.ts";

const image: Image = {
  ...{ reference: "i", id: "sha256:0", mounts: [], entrypoint: [], command: [], env: {}, fieldEnv: {} },
  ...{ workingDirectory: "/", uid: 0, gid: 0, users: "" },
};
const container = { name: "a", command: ["true"] };
const pod: StoredPod = {
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: { name: "p", namespace: "ns", uid: "u", resourceVersion: "1" },
  spec: { containers: [container] },
};
const brokenSandbox: Sandbox = {
  name: "process",
  start: () => Promise.reject(new Error("ENOSPC: no space left on device")),
  watchDirectory: () => {},
  stop: async () => {},
};

test("returns CreateContainerError when the sandbox throws", async () => {
  const host = testHost();
  const store = createMemoryStore(host);
  const api = { address: "127.90.0.1", port: 6443 };
  const result = await startContainerProcess(
    { ...{ host, store, api }, sandbox: brokenSandbox, isFake: false },
    {
      facts: {
        ...{ pod, address: "127.90.0.2", hostAddress: "127.90.0.1" },
        allocatable: { cpus: 1, memoryBytes: 1, diskBytes: 1 },
      },
      ...{ container, image, hostsFile: "/hosts", directory: "/run" },
      volumes: {
        setUp: () => [],
        refresh: () => [],
        mountsOf: () => ({ mounts: [] }),
        limited: () => [],
        remove() {},
      },
      ...{ onOutput() {}, record() {} },
    },
  );
  expect(result).toEqual({
    notCreated: "ENOSPC: no space left on device",
    reason: "CreateContainerError",
  });
});
