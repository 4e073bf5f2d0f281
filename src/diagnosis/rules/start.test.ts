import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, event, instant, node, observe, waiting } from "../test-observation.ts";

const runc =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

function started(reason: string, message: string, spec = {}) {
  const containers = [{ name: "spark-kubernetes-driver", image: "spark:4.3.0", ...spec }];
  const state =
    reason === "StartError" || reason === "ContainerCannotRun"
      ? ended(128, { reason, message })
      : waiting(reason, message);
  const found = diagnose(observe({ driver: driverPod({ spec: { containers }, states: { main: state } }) }));
  return `${found?.cause}: ${found?.message}`;
}

describe("a container that the runtime cannot start, in the messages of", () => {
  test.each([
    [
      "runc",
      "StartError",
      `${runc}exec: "/opt/go.sh": stat /opt/go.sh: no such file or directory: unknown`,
      "command-not-found",
      "/opt/go.sh",
    ],
    [
      "runc, by PATH",
      "StartError",
      `${runc}exec: "run-it": executable file not found in $PATH: unknown`,
      "command-not-found",
      "run-it",
    ],
    [
      "Docker",
      "ContainerCannotRun",
      'OCI runtime create failed: container_linux.go:380: starting container process caused: exec: "run-it": executable file not found in $PATH: unknown',
      "command-not-found",
      "run-it",
    ],
    [
      "crun",
      "CreateContainerError",
      "container create failed: executable file `run-it` not found in $PATH: No such file or directory",
      "command-not-found",
      "run-it",
    ],
    [
      "runc, no right",
      "StartError",
      `${runc}exec: "/opt/go.sh": permission denied: unknown`,
      "command-not-executable",
      "/opt/go.sh",
    ],
    [
      "runc, another platform",
      "StartError",
      `${runc}exec /opt/go.sh: exec format error: unknown`,
      "exec-format-error",
      "exec format error",
    ],
    [
      "runc, no directory",
      "StartError",
      `${runc}chdir to cwd ("/nowhere") set in config.json failed: no such file or directory: unknown`,
      "working-directory-invalid",
      "/nowhere",
    ],
    [
      "runc, a file for a directory",
      "StartError",
      `${runc}error during container init: mkdir /nowhere: not a directory: unknown`,
      "working-directory-invalid",
      "/nowhere",
    ],
    [
      "containerd, a profile",
      "CreateContainerError",
      'failed to create containerd container: cannot load seccomp profile "/var/lib/kubelet/seccomp/profiles/strict.json": open /var/lib/kubelet/seccomp/profiles/strict.json: no such file or directory',
      "security-profile-missing",
      "strict.json",
    ],
    [
      "containerd, AppArmor",
      "CreateContainerError",
      "failed to create containerd container: apparmor profile not found k8s-strict",
      "security-profile-missing",
      "k8s-strict",
    ],
    [
      "containerd, a user",
      "CreateContainerError",
      "failed to create containerd container: mount callback failed: unable to find user app: no matching entries in passwd file",
      "user-unknown",
      "app",
    ],
    [
      "runc, a mount",
      "RunContainerError",
      `${runc}error during container init: error mounting "/x" to rootfs at "/etc/passwd": not a directory: unknown`,
      "container-start-failed",
      "not a directory",
    ],
  ])("%s", (_who, reason, message, cause, expectedText) => {
    const found = started(reason, message, {
      workingDir: cause === "working-directory-invalid" ? "/nowhere" : undefined,
    });
    expect(found.slice(0, cause.length + 1)).toBe(`${cause}:`);
    expect(found).toContain(expectedText);
  });

  test("runc, about a directory below a file, with only the file in the message", () => {
    const message = `${runc}error during container init: mkdir /etc/passwd: not a directory: unknown`;
    const found = started("StartError", message, { workingDir: "/etc/passwd/work" });
    expect(found).toMatch(/^working-directory-invalid: The working directory \/etc\/passwd\/work /);
    expect(started("StartError", message, { workingDir: "/etc/passwd-copy" })).toMatch(/^container-start-failed/);
  });

  test("an init container, with its name", () => {
    const spec = { initContainers: [{ name: "fetch" }], containers: [{ name: "spark-kubernetes-driver" }] };
    const states = {
      fetch: ended(128, {
        reason: "StartError",
        message: `${runc}exec: "get": executable file not found in $PATH: unknown`,
      }),
      main: waiting("PodInitializing"),
    };
    expect(diagnose(observe({ driver: driverPod({ spec, states }) }))).toMatchObject({
      cause: "command-not-found",
      message: expect.stringContaining("the init container fetch"),
    });
  });
});

describe("a container that lacks a ConfigMap, a Secret or a user", () => {
  test.each([
    ["couldn't find key password in Secret team-a/db", "secret-key-missing", ["password", "db"]],
    ["couldn't find key region in ConfigMap team-a/settings", "config-map-key-missing", ["region", "settings"]],
    ['secret "db" not found', "secret-missing", ["db"]],
    ['configmaps "settings" not found', "config-map-missing", ["settings"]],
    ['container has runAsNonRoot and image will run as root (pod: "x", container: y)', "run-as-non-root", ["root"]],
    [
      "container has runAsNonRoot and image has non-numeric user (spark), cannot verify user is non-root",
      "run-as-non-root",
      ["non-numeric user (spark)"],
    ],
  ])("%s", (message, cause, texts) => {
    const found = started("CreateContainerConfigError", message);
    expect(found.slice(0, cause.length + 1)).toBe(`${cause}:`);
    for (const expectedText of texts) expect(found).toContain(expectedText);
  });

  test("a mounted Secret without its key is reported by name", () => {
    const spec = {
      containers: [{ name: "spark-kubernetes-driver" }],
      volumes: [{ name: "creds", secret: { secretName: "db" } }],
    };
    const driver = driverPod({ spec, states: { main: waiting("ContainerCreating") } });
    const events = [
      event(
        "FailedMount",
        'MountVolume.SetUp failed for volume "creds" : references non-existent secret key: password',
        { count: 2 },
      ),
    ];
    expect(diagnose(observe({ driver, events }))).toMatchObject({
      cause: "secret-key-missing",
      message: "The secret db has no key password.",
    });
  });

  test("a projected volume without a key is reported by the Secret that should have it", () => {
    const sources = [
      { configMap: { name: "settings" } },
      { secret: { name: "keytab", items: [{ key: "user.keytab", path: "keytab" }] } },
    ];
    const spec = {
      containers: [{ name: "spark-kubernetes-driver" }],
      volumes: [{ name: "creds", projected: { sources } }],
    };
    const driver = driverPod({ spec, states: { main: waiting("ContainerCreating") } });
    const message = 'MountVolume.SetUp failed for volume "creds" : references non-existent secret key: user.keytab';
    expect(diagnose(observe({ driver, events: [event("FailedMount", message, { count: 2 })] }))).toMatchObject({
      cause: "secret-key-missing",
      message: "The secret keytab has no key user.keytab.",
    });
  });

  test("the submission's own ConfigMap is not reported at once", () => {
    const driver = driverPod({ states: { main: waiting("ContainerCreating") } });
    const events = [
      event(
        "FailedMount",
        'MountVolume.SetUp failed for volume "spark-conf-volume-driver" : configmap "spark-drv-0f-conf-map" not found',
        { count: 3 },
      ),
    ];
    expect(diagnose(observe({ driver, events, second: 4 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events, second: 8 }))).toMatchObject({
      cause: "config-map-missing",
      isTerminal: true,
    });
    const running = driverPod({ phase: "Running", states: { main: { running: {} } } });
    expect(diagnose(observe({ driver: running, events }))).toBeUndefined();
    const done = driverPod({ phase: "Succeeded", states: { main: ended(0) } });
    expect(diagnose(observe({ driver: done, events }))).toMatchObject({
      cause: "config-map-missing",
      isResolved: true,
    });
  });
});

describe("volumes and sandboxes", () => {
  const spec = {
    nodeName: "worker-1",
    containers: [{ name: "spark-kubernetes-driver" }],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "lake" } },
      { name: "share", nfs: { server: "nas", path: "/exports" } },
    ],
  };
  const driver = driverPod({ spec, states: { main: waiting("ContainerCreating") } });

  test.each([
    [
      "FailedAttachVolume",
      'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
      "attach-failed",
      false,
      "pvc-1",
    ],
    [
      "FailedAttachVolume",
      'AttachVolume.Attach failed for volume "pvc-1" : timed out waiting for external-attacher of csi.example.com CSI driver to attach volume vol-1',
      "attach-failed",
      true,
      "csi.example.com",
    ],
    [
      "FailedMount",
      "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[]: context deadline exceeded",
      "attach-failed",
      true,
      "lake",
    ],
    [
      "FailedMount",
      'MountVolume.SetUp failed for volume "share" : mount failed: exit status 32\nMounting command: mount\nOutput: mount.nfs: Connection timed out',
      "mount-failed",
      true,
      "nas:/exports",
    ],
    [
      "FailedMount",
      'MountVolume.MountDevice failed for volume "pvc-1" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name csi.example.com not found in the list of registered CSI drivers',
      "mount-failed",
      true,
      "csi.example.com",
    ],
    [
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "5a": plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized',
      "pod-network-failed",
      false,
      "calico",
    ],
    [
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = RuntimeHandler "kata" not supported',
      "sandbox-failed",
      true,
      "kata",
    ],
  ])("%s %s", (reason, message, cause, isTerminal, expectedText) => {
    const found = diagnose(observe({ driver, events: [event(reason, message)] }));
    expect(found).toMatchObject({ cause, isTerminal });
    expect(found?.message).toContain(expectedText);
  });

  test("resolved problems are not reported", () => {
    const started = driverPod({ spec, phase: "Running", states: { main: { running: {} } } });
    const events = [
      event("FailedCreatePodSandBox", "Failed to create pod sandbox"),
      event("FailedMount", "MountVolume.SetUp failed for volume x"),
    ];
    expect(diagnose(observe({ driver: started, events }))).toBeUndefined();
  });

  test("a volume that no controller attaches is reported for missing events, too", () => {
    const events = [event("Scheduled", "Successfully assigned", { second: 1, type: "Normal" })];
    expect(diagnose(observe({ driver, events, second: 8 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events, second: 11 }))).toMatchObject({
      cause: "attach-failed",
      isTerminal: false,
    });
  });

  test("a late ConfigMap of the submission is not reported as a volume problem", () => {
    const late = 'MountVolume.SetUp failed for volume "conf" : configmap "spark-drv-0f-conf-map" not found';
    const events = [
      event("Scheduled", "Successfully assigned", { second: 1, type: "Normal" }),
      event("FailedMount", late, { second: 1 }),
    ];
    const objects = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "spark-drv-0f-conf-map" } }];
    expect(diagnose(observe({ driver, events, objects, second: 60 }))?.cause).toBe("attach-failed");
  });

  test("a node whose kubelet does not respond", () => {
    const lost = node("worker-1", {});
    const status = {
      conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: instant(15) }],
    };
    const running = driverPod({ spec, phase: "Running", states: { main: { running: {} } } });
    const objects = [{ ...lost, status }];
    expect(diagnose(observe({ driver: running, objects, second: 14 }))).toBeUndefined();
    expect(diagnose(observe({ driver: running, objects, second: 16 }))).toMatchObject({
      cause: "node-lost",
      isTerminal: false,
    });
  });
});

describe("init containers", () => {
  const containers = [{ name: "spark-kubernetes-driver" }];
  const events = [event("Scheduled", "Successfully assigned", { second: 0, type: "Normal" })];

  test("that do not end are reported", () => {
    const driver = driverPod({
      spec: { initContainers: [{ name: "wait" }], containers },
      states: { wait: { running: {} }, main: waiting("PodInitializing") },
      logs: { wait: "no db yet" },
    });
    expect(diagnose(observe({ driver, events, second: 9 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events, second: 10 }))).toMatchObject({
      ...{ cause: "init-container-running", isTerminal: false },
      message: expect.stringContaining("no db yet"),
    });
  });

  test("are not reported as running while their image is pulled", () => {
    const driver = driverPod({
      spec: { initContainers: [{ name: "fetch", image: "tools:1" }], containers },
      states: { fetch: waiting("PodInitializing"), main: waiting("PodInitializing") },
    });
    const pulling = event("Pulling", 'Pulling image "tools:1"', {
      container: "fetch",
      type: "Normal",
      second: 2,
    });
    const known = { driver, events: [...events, pulling] };
    expect(diagnose(observe({ ...known, second: 11 }))).toBeUndefined();
    expect(diagnose(observe({ ...known, second: 12 }))?.cause).toBe("image-pull-slow");
  });

  test("that are started native sidecars do not delay the driver", () => {
    const initContainers = [{ name: "mesh", restartPolicy: "Always" }];
    const driver = driverPod({
      spec: { initContainers, containers },
      states: { main: waiting("PodInitializing") },
      status: {
        initContainerStatuses: [
          {
            name: "mesh",
            image: "",
            imageID: "",
            ready: true,
            restartCount: 0,
            started: true,
            state: { running: {} },
          },
        ],
      },
    });
    expect(diagnose(observe({ driver, events, second: 30 }))).toBeUndefined();
  });

  test.each([
    [ended(137, { reason: "OOMKilled" }), "init-container-oom"],
    [ended(9, { message: "line one\nfatal error: bucket gone\nbye" }), "init-container-failed"],
    [waiting("CrashLoopBackOff", "back-off 10s"), "init-container-crash-loop"],
  ])("that fail are reported: %#", (state, cause) => {
    const driver = driverPod({
      spec: { initContainers: [{ name: "fetch" }], containers },
      states: { fetch: state, main: waiting("PodInitializing") },
    });
    const found = diagnose(observe({ driver }));
    expect(found).toMatchObject({ cause, message: expect.stringContaining("fetch") });
    if (cause === "init-container-failed") expect(found?.message).toContain("bucket gone");
  });

  test.each([
    ["noSpace", 6, /^Let the driver run on a node with more free disk/],
    ["unauthorized", 3, /spark\.firesteel\.staging\.server\.internalUrl/],
    ["network", 7, /spark\.firesteel\.staging\.initContainer\.timeout/],
    ["integrity", 5, /^Submit again, and check the proxies between/],
    ["of another program", 9, /^Repair what the init container firesteel-localize does/],
  ])("T75: Firesteel's init container with the reason %s has its message and a next step", (code, exitCode, step) => {
    const text = JSON.stringify({ code, message: "of the files: conf.json" });
    const driver = driverPod({
      spec: { initContainers: [{ name: "firesteel-localize" }], containers },
      states: {
        "firesteel-localize": ended(exitCode, { message: text }),
        main: waiting("PodInitializing"),
      },
    });
    const found = diagnose(observe({ driver }));
    expect(found?.nextStep).toMatch(step);
    const explanation = code === "of another program" ? text : "of the files: conf.json";
    expect(found?.message).toBe(
      `The init container firesteel-localize ended with exit status ${exitCode}: ${explanation}.`,
    );
  });
});
