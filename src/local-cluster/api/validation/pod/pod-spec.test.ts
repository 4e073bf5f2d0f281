import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "../../../../kube/types.ts";
import { validatePodSpec, validatePodSpecUpdate, warnOfPodSpec } from "./pod-spec.ts";

const usual = {
  ...{ name: "a", image: "x:1" },
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};

/** Returns a specification with defaults. */
function specOf(spec: Partial<PodSpec> = {}, container: Partial<Container> = {}): PodSpec {
  const others = { restartPolicy: "Always", dnsPolicy: "ClusterFirst" };
  return { ...others, containers: [{ ...usual, ...container }], ...spec };
}

function faults(spec: PodSpec): string[] {
  return validatePodSpec(spec, "spec").map(({ field, message }) => `${field}: ${message}`);
}

const claimless = { name: "v", emptyDir: {} };
const probe = { exec: { command: ["x"] } };
const first = "spec.containers[0]";
const nodes = "spec.affinity.nodeAffinity";

// Messages of Kubernetes 1.35.4.
describe("a pod's specification", () => {
  test("is valid with an image and defaults", () => {
    expect(faults(specOf())).toEqual([]);
  });

  test.each<[string, PodSpec, string]>([
    [
      "a probe of an init container",
      specOf({ initContainers: [{ ...usual, name: "i", livenessProbe: probe }] }),
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
    [
      "dnsPolicy None without name servers",
      specOf({ dnsPolicy: "None" }),
      "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
    ],
    [
      "an unknown restart policy",
      specOf({}, { restartPolicy: "Nope" }),
      `${first}.restartPolicy: Unsupported value: "Nope": supported values: "Always", "Never", "OnFailure"`,
    ],
    [
      "a readiness probe with a grace period",
      specOf({}, { readinessProbe: { ...probe, terminationGracePeriodSeconds: 5 } }),
      `${first}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes`,
    ],
    [
      "a sleep longer than the grace period",
      specOf({}, { lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
      `${first}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`,
    ],
    [
      "a probe of port 0",
      specOf({}, { livenessProbe: { grpc: { port: 0 } } }),
      `${first}.livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
    ],
    [
      "a duplicate host port",
      specOf({}, { ports: [80, 81].map((containerPort) => ({ containerPort, hostPort: 80, protocol: "TCP" })) }),
      `${first}.ports[1].hostPort: Duplicate value: "TCP//80"`,
    ],
    [
      "bidirectional mount propagation",
      specOf(
        { volumes: [claimless] },
        { volumeMounts: [{ name: "v", mountPath: "/x", mountPropagation: "Bidirectional" }] },
      ),
      `${first}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
    ],
    [
      "an emptyDir as a device",
      specOf({ volumes: [claimless] }, { volumeDevices: [{ name: "v", devicePath: "/d" }] }),
      `${first}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
    ],
    [
      "two sources of one file",
      specOf({
        volumes: [
          {
            name: "v",
            projected: {
              sources: ["s", "t"].map((name) => ({ secret: { name, items: [{ key: "k", path: "p" }] } })),
            },
          },
        ],
      }),
      'spec.volumes[0].projected: Invalid value: "t": conflicting duplicate paths',
    ],
    [
      "a field of an unknown version",
      specOf({}, { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } }] }),
      `${first}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2`,
    ],
    [
      "huge pages without cpu or memory",
      specOf({}, { resources: { limits: { "hugepages-2Mi": "4Mi" }, requests: { "hugepages-2Mi": "4Mi" } } }),
      `${first}.resources: Forbidden: HugePages require cpu or memory`,
    ],
    [
      "a fraction of a huge page",
      specOf({}, { resources: { limits: { "hugepages-2Mi": "1Mi", cpu: "1" } } }),
      `${first}.resources.limits[hugepages-2Mi]: Invalid value: "1Mi": 1Mi is not positive integer multiple of hugepages-2Mi`,
    ],
    [
      "a localhost profile without a name",
      specOf({}, { securityContext: { seccompProfile: { type: "Localhost" } } }),
      `${first}.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
    ],
    [
      "both shared process namespaces",
      specOf({ shareProcessNamespace: true, hostPID: true }),
      "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
    ],
    [
      "a maxSkew of 0",
      specOf({
        topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
      }),
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
    ],
    [
      "an unknown field of a node",
      specOf({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.nope", operator: "In", values: ["x"] }] }],
            },
          },
        },
      }),
      `${nodes}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "metadata.nope": not a valid field selector key`,
    ],
    [
      "a node and a scheduling gate",
      specOf({ schedulingGates: [{ name: "example.com/a" }], nodeName: "n" }),
      "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
    ],
  ])("cannot have %s", (_, spec, fault) => {
    expect(faults(spec)).toEqual([fault]);
  });

  test("can request a kubernetes.io resource without a limit, but no extended resource", () => {
    const specWith = (name: string) => faults(specOf({}, { resources: { requests: { [name]: "1" } } }));
    expect(specWith("kubernetes.io/x")).toEqual([]);
    expect(specWith("example.com/gpu")).toHaveLength(1);
  });

  test("has warnings for duplicate ports and spread constraints without selectors", () => {
    const ports = [1, 2].map(() => ({ containerPort: 80, protocol: "TCP" }));
    const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }];
    expect(warnOfPodSpec(specOf({ topologySpreadConstraints }, { ports }), "spec")).toEqual([
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
      `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`,
    ]);
  });

  test("allows removing scheduling gates but not adding any", () => {
    const gated = specOf({ schedulingGates: [{ name: "example.com/a" }] });
    expect(validatePodSpecUpdate(specOf(), gated)).toEqual([]);
    expect(validatePodSpecUpdate(gated, specOf())[0]).toMatchObject({
      field: "spec.schedulingGates[0].name",
      message: "Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/a'",
    });
  });
});
