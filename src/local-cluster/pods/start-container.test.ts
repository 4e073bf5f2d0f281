import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import type { Image } from "../images/image.ts";
import type { Mount, Sandbox } from "../sandbox/sandbox.ts";
import { sharedNetwork } from "./network/pod-network.ts";
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
/** Starts the container with mounts of its image and of its volumes. */
function startWith(
  start: Sandbox["start"],
  { ofImage = [], ofVolumes = [] }: Readonly<Record<string, readonly Mount[]>> = {},
) {
  const host = testHost();
  const sandbox: Sandbox = { name: "bwrap", start, watchDirectory: () => {}, stop: async () => {} };
  const facts = {
    ...{ pod, address: "127.90.0.2", hostAddress: "127.90.0.1" },
    allocatable: { cpus: 1, memoryBytes: 1, diskBytes: 1 },
  };
  const mountsOf = () => ({ mounts: ofVolumes });
  const volumes = { setUp: () => [], refresh: () => [], mountsOf, limited: () => [], remove() {} };
  return startContainerProcess(
    {
      ...{ host, store: createMemoryStore(host), api: { address: "127.90.0.1", port: 6443 } },
      sandbox,
      isFake: false,
      network: sharedNetwork(),
    },
    {
      ...{ facts, container, volumes, hostsFile: "/hosts", directory: "/run" },
      ...{ image: { ...image, mounts: ofImage }, onOutput() {}, record() {} },
    },
  );
}

test("returns CreateContainerError when the sandbox throws", async () => {
  const result = await startWith(() => Promise.reject(new Error("ENOSPC: no space left on device")));
  expect(result).toEqual({
    notCreated: "ENOSPC: no space left on device",
    reason: "CreateContainerError",
  });
});

test("shows uploads again that a hidden directory in a volume would cover", async () => {
  const uploads = {
    kind: "bind",
    source: "/home/me/state/uploads",
    target: "/home/me/state/uploads",
    readOnly: true,
  } as const;
  const home = { kind: "bind", source: "/home/me", target: "/home/me", readOnly: false } as const;
  const hidden = { kind: "temporary", target: "/home/me/state", mode: 0o755, isMask: true } as const;
  let targets: readonly string[] = [];
  const record: Sandbox["start"] = async ({ mounts }) => {
    targets = mounts.map(({ target }) => target);
    return { started: false, startError: "none" };
  };
  await startWith(record, { ofImage: [uploads], ofVolumes: [home, hidden] });
  expect(targets.slice(0, 1)).toEqual([uploads.target]);
  expect(targets.slice(-3)).toEqual([home.target, hidden.target, uploads.target]);
  await startWith(record, { ofImage: [uploads], ofVolumes: [home] });
  expect(targets.slice(-1)).toEqual([home.target]);
});
