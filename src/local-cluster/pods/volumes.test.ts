import { describe, expect, test } from "vitest";
import type { Files } from "../../host/host.ts";
import { testHost } from "../../host/test-host.ts";
import type { Container, Volume } from "../../kube/types.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { privateDirectories } from "./private-directories.ts";
import type { StoredPod } from "./stored-object.ts";
import { podVolumes } from "./volumes.ts";

const mountsOfAll = (volumes: readonly Volume[]) => volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));

function volumesOf(volumes: readonly Volume[], mounted = volumes) {
  const base = testHost({
    files: { "/home/tester/data/x": "1", "/home/tester/.local/state/firesteel/token": "", "/etc/shadow": "" },
  });
  let isFull = false;
  const files: Files = {
    ...base.files,
    rename(from, to) {
      if (isFull) throw new Error(`ENOSPC: ${to}`);
      base.files.rename(from, to);
    },
  };
  const host = { ...base, files };
  const store = createMemoryStore(host);
  const pod: StoredPod = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "p", namespace: "ns", uid: "u", resourceVersion: "1", labels: { a: "b" } },
    spec: { containers: [{ name: "a", volumeMounts: mountsOfAll(mounted) }], volumes: [...volumes] },
  };
  const made = podVolumes({
    context: {
      ...{ host, store, claims: "/claims", hostPathRoots: ["/home/tester"], isFake: false },
      privateDirectories: privateDirectories(files, ["/home/tester/.local/state/firesteel"]),
    },
    ...{ pod, directory: "/pod/volumes", memoryDirectory: "/shm/u" },
    facts: () => ({
      ...{ pod, address: "127.90.0.2", hostAddress: "127.90.0.1" },
      allocatable: { cpus: 2, memoryBytes: 1024, diskBytes: 1 },
    }),
    tokenFor: ({ audience }) => `token for ${audience ?? "the API"}`,
  });
  const write = (name: string, data: Record<string, string>) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "ns" }, data };
    if (store.create("configmaps", object) === undefined) store.update("configmaps", "ns", name, () => object);
  };
  const mount = (mounts: NonNullable<Container["volumeMounts"]>) =>
    made.mountsOf({ name: "a", volumeMounts: mounts }, { POD: "p-1", UP: "..", ROOT: "/etc" });
  const setFull = (full: boolean) => {
    isFull = full;
  };
  return { ...made, host, write, mount, read: host.files.readText, setFull };
}
const map = (name: string, more: object = {}): Volume => ({ name: "v", configMap: { name, ...more } });

test("does not wait for a volume that no container mounts", () => {
  expect(volumesOf([map("late")], []).setUp()).toEqual([]);
});

describe("a volume of files", () => {
  test("has the kubelet's layout and is updated atomically", () => {
    const { write, setUp, refresh, host } = volumesOf([map("cm")]);
    write("cm", { a: "1", b: "2" });
    expect(setUp()).toEqual([]);
    const current = host.files.readLink("/pod/volumes/v/..data");
    expect(current).toMatch(/^\.\.2026_01_02_03_04_05\./);
    expect(host.files.list("/pod/volumes/v")).toEqual([current, "..data", "a", "b"]);
    expect(host.files.readLink("/pod/volumes/v/a")).toBe("..data/a");
    write("cm", { a: "one" });
    refresh();
    expect(host.files.readText("/pod/volumes/v/a")).toBe("one");
    expect(host.files.list("/pod/volumes/v")).toEqual([host.files.readLink("/pod/volumes/v/..data"), "..data", "a"]);
  });

  test("keeps its files while it cannot be written, and is updated once it can", () => {
    const { write, setUp, refresh, read, setFull } = volumesOf([map("cm")]);
    write("cm", { a: "1" });
    expect(setUp()).toEqual([]);
    write("cm", { a: "2" });
    setFull(true);
    expect(refresh()).toEqual([expect.stringMatching(/^MountVolume\.SetUp failed for volume "v" : ENOSPC/)]);
    expect(read("/pod/volumes/v/a")).toBe("1");
    setFull(false);
    expect(refresh()).toEqual([]);
    expect(read("/pod/volumes/v/a")).toBe("2");
  });

  test("shows selected keys with their paths and modes", () => {
    const items = [{ key: "a", path: "x/y", mode: 0o400 }];
    const { write, setUp, host } = volumesOf([map("cm", { items, defaultMode: 0o600 })]);
    write("cm", { a: "1", b: "2" });
    expect(setUp()).toEqual([]);
    expect(host.files.readLink("/pod/volumes/v/x")).toBe("..data/x");
    expect(host.files.info("/pod/volumes/v/x/y")).toMatchObject({ mode: 0o400 });
  });

  test("merges projected sources", () => {
    const sources = [
      { serviceAccountToken: { path: "token", audience: "vault" } },
      { configMap: { name: "cm" } },
      { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    ];
    const { write, setUp, read } = volumesOf([{ name: "v", projected: { sources } }]);
    write("cm", { "ca.crt": "PEM" });
    setUp();
    const files = ["token", "ca.crt", "labels"].map((name) => read(`/pod/volumes/v/${name}`));
    expect(files).toEqual(["token for vault", "PEM", 'a="b"']);
  });

  test.each<[string, Volume, string]>([
    ["its map", map("late"), 'configmap "late" not found'],
    ["its secret", { name: "v", secret: { secretName: "late" } }, 'secret "late" not found'],
    ["a key", map("cm", { items: [{ key: "z", path: "z" }] }), "references non-existent config key: z"],
    ["its claim", { name: "v", persistentVolumeClaim: { claimName: "c" } }, 'persistentvolumeclaim "c" not found'],
    [
      "a driver for it",
      { name: "v", nfs: { server: "s", path: "/" } },
      "no volume plugin matched name: kubernetes.io/nfs",
    ],
  ])("waits for %s", (_, volume, problem) => {
    const { write, setUp } = volumesOf([volume]);
    write("cm", { a: "1" });
    expect(setUp()).toEqual([`MountVolume.SetUp failed for volume "v" : ${problem}`]);
  });

  test("does not wait for an optional object", () => {
    expect(volumesOf([map("late", { optional: true })]).setUp()).toEqual([]);
  });
});

describe("a hostPath", () => {
  const outsideProblem =
    "hostPath /etc is outside the directories that pods can access: /home/tester (to allow others, use firesteel cluster start --host-path DIR)";
  test.each<[string, string, string | undefined, string | undefined]>([
    ["inside the allowed directories", "/home/tester/data", "Directory", undefined],
    ["that is created", "/home/tester/new", "DirectoryOrCreate", undefined],
    ["outside", "/etc", undefined, outsideProblem],
    ["outside by dots", "/home/tester/../../etc", undefined, outsideProblem],
    [
      "of another type",
      "/home/tester/data/x",
      "Directory",
      "hostPath type check failed: /home/tester/data/x is not a directory",
    ],
  ])("%s", (_, path, type, problem) => {
    const { setUp } = volumesOf([{ name: "v", hostPath: type === undefined ? { path } : { path, type } }]);
    expect(setUp()).toEqual(problem === undefined ? [] : [`MountVolume.SetUp failed for volume "v" : ${problem}`]);
  });

  const privateProblem = "is in a directory with the keys and tokens of clusters, which pods cannot mount";

  test.each([
    "/home/tester/.local/state/firesteel",
    "/home/tester/.local/state/firesteel/clusters",
    "/home/tester/link",
  ])("with tokens of clusters is rejected: %s", (path) => {
    const { setUp, host } = volumesOf([{ name: "v", hostPath: { path } }]);
    host.files.link(".local/state/firesteel/token", "/home/tester/link");
    const problems = setUp();
    expect(problems).toEqual([
      expect.stringContaining('MountVolume.SetUp failed for volume "v" : /home/tester/.local'),
    ]);
    expect(problems).toEqual([expect.stringContaining(privateProblem)]);
  });

  test("hides the tokens of clusters inside of it, also from a sub-path", () => {
    const { setUp, mount } = volumesOf([{ name: "v", hostPath: { path: "/home/tester" } }]);
    setUp();
    const show = (subPath?: string) =>
      mount([{ name: "v", mountPath: "/m", ...(subPath === undefined ? {} : { subPath }) }]);
    const hidden = (target: string) => ({
      mounts: [{ kind: "bind" }, { kind: "temporary", target, mode: 0o755, isMask: true }],
    });
    expect(show()).toMatchObject(hidden("/m/.local/state/firesteel"));
    expect(show(".local")).toMatchObject(hidden("/m/state/firesteel"));
    expect(show("data")).toMatchObject({ mounts: [{ kind: "bind" }] });
    expect(show(".local/state/firesteel")).toEqual({ problem: expect.stringContaining(privateProblem) });
  });

  test("that cannot be created is reported as a mount failure", () => {
    const path = "/home/tester/data/x/below-a-file";
    const { setUp } = volumesOf([{ name: "v", hostPath: { path, type: "DirectoryOrCreate" } }]);
    expect(setUp()).toEqual([expect.stringContaining("MountVolume.SetUp failed")]);
  });

  test.each(["FileOrCreate", "DirectoryOrCreate"])("creates nothing behind a link to a missing path: %s", (type) => {
    const { setUp, host } = volumesOf([{ name: "v", hostPath: { path: "/home/tester/data/link", type } }]);
    host.files.link("/etc/new", "/home/tester/data/link");
    expect(setUp()).toEqual([expect.stringContaining("is outside")]);
    expect(host.files.list("/etc")).toEqual(["shadow"]);
  });

  test("does not follow a link out of the allowed directories", () => {
    const { setUp, host } = volumesOf([{ name: "v", hostPath: { path: "/home/tester/out" } }]);
    host.files.link("/etc", "/home/tester/out");
    expect(setUp()).toEqual([expect.stringContaining("is outside")]);
  });
});

describe("mounts", () => {
  test("are ordered from outer to inner, and read-only if the volume is", () => {
    const { write, setUp, mount } = volumesOf([{ name: "e", emptyDir: {} }, map("cm")]);
    write("cm", { a: "1" });
    setUp();
    expect(
      mount([
        { name: "v", mountPath: "/data/conf/" },
        { name: "e", mountPath: "/data" },
      ]),
    ).toEqual({
      mounts: [
        { kind: "bind", source: "/pod/volumes/e", target: "/data", readOnly: false },
        { kind: "bind", source: "/pod/volumes/v", target: "/data/conf", readOnly: true, texts: true },
      ],
    });
  });

  test("show a sub-path of a volume, created if it does not exist", () => {
    const { setUp, mount, host } = volumesOf([{ name: "e", emptyDir: { medium: "Memory" } }]);
    setUp();
    expect(mount([{ name: "e", mountPath: "/logs", subPathExpr: "$(POD)/logs" }])).toMatchObject({
      mounts: [{ source: "/shm/u/e/p-1/logs" }],
    });
    expect(host.files.info("/shm/u/e/p-1/logs")?.kind).toBe("directory");
  });

  test("fail for a sub-path below a file", () => {
    const { setUp, mount, host } = volumesOf([{ name: "e", emptyDir: {} }]);
    setUp();
    host.files.write("/pod/volumes/e/file", "");
    expect(mount([{ name: "e", mountPath: "/x", subPath: "file/x" }])).toEqual({
      problem: 'failed to prepare subPath for volumeMount "e" of container "a"',
    });
  });

  test.each(["out", "out/new", "out/new/deep"])("fail for a sub-path that leads out of the volume: %s", (subPath) => {
    const { setUp, mount, host } = volumesOf([{ name: "e", emptyDir: {} }]);
    setUp();
    host.files.link("/etc", "/pod/volumes/e/out");
    expect(mount([{ name: "e", mountPath: "/x", subPath }])).toEqual({
      problem: 'failed to prepare subPath for volumeMount "e" of container "a"',
    });
    expect(host.files.list("/etc")).toEqual(["shadow"]);
  });

  test.each([
    ["$(UP)/x", "unable to provision SubPath `../x`: must not contain '..'"],
    ["$(ROOT)", "error SubPath `/etc` must not be an absolute path"],
    ["$(MISSING)/x", "missing value for MISSING"],
  ])("fail for a sub-path whose variables lead elsewhere: %s", (subPathExpr, problem) => {
    const { setUp, mount } = volumesOf([{ name: "e", emptyDir: {} }]);
    setUp();
    expect(mount([{ name: "e", mountPath: "/x", subPathExpr }])).toEqual({ problem });
  });

  test("of a hostPath and of a sub-path have the identity of what was found", () => {
    const { setUp, mount, host } = volumesOf([{ name: "v", hostPath: { path: "/home/tester/data" } }]);
    setUp();
    const mounted = mount([
      { name: "v", mountPath: "/whole" },
      { name: "v", mountPath: "/part", subPath: "x" },
    ]);
    expect(mounted).toMatchObject({
      mounts: ["/home/tester/data", "/home/tester/data/x"].map((path) => ({ identity: host.files.identity(path) })),
    });
  });
});
