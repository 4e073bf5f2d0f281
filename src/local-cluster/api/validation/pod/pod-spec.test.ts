import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "../../../../kube/types.ts";
import { validatePodSpec, validatePodSpecUpdate, warnOfPodSpec } from "./pod-spec.ts";

const usual = {
  ...{ name: "a", image: "x:1" },
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};

/** A specification with what defaults add. */
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

// Each in the words of Kubernetes 1.35.4.
describe("a pod's specification", () => {
  test("can be what defaults make of an image", () => {
    expect(faults(specOf())).toEqual([]);
  });

  test.each<[string, PodSpec, string]>([
    [
      "a probe of a container that ends",
      specOf({ initContainers: [{ ...usual, name: "i", livenessProbe: probe }] }),
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
    [
      "no name server of its own",
      specOf({ dnsPolicy: "None" }),
      "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
    ],
    [
      "a container's restart policy",
      specOf({}, { restartPolicy: "Nope" }),
      `${first}.restartPolicy: Unsupported value: "Nope": supported values: "Always", "Never", "OnFailure"`,
    ],
    [
      "a readiness probe that ends containers",
      specOf({}, { readinessProbe: { ...probe, terminationGracePeriodSeconds: 5 } }),
      `${first}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes`,
    ],
    [
      "a nap longer than the pod's end",
      specOf({}, { lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
      `${first}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`,
    ],
    [
      "a probe of no port",
      specOf({}, { livenessProbe: { grpc: { port: 0 } } }),
      `${first}.livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
    ],
    [
      "two ports of the node that are one",
      specOf(
        {},
        { ports: [80, 81].map((containerPort) => ({ containerPort, hostPort: 80, protocol: "TCP" })) },
      ),
      `${first}.ports[1].hostPort: Duplicate value: "TCP//80"`,
    ],
    [
      "mounts that spread",
      specOf(
        { volumes: [claimless] },
        { volumeMounts: [{ name: "v", mountPath: "/x", mountPropagation: "Bidirectional" }] },
      ),
      `${first}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
    ],
    [
      "a directory as a device",
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
      "a field of another version",
      specOf(
        {},
        { env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } }] },
      ),
      `${first}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2`,
    ],
    [
      "huge pages alone",
      specOf({}, { resources: { limits: { "hugepages-2Mi": "4Mi" }, requests: { "hugepages-2Mi": "4Mi" } } }),
      `${first}.resources: Forbidden: HugePages require cpu or memory`,
    ],
    [
      "half a huge page",
      specOf({}, { resources: { limits: { "hugepages-2Mi": "1Mi", cpu: "1" } } }),
      `${first}.resources.limits[hugepages-2Mi]: Invalid value: "1Mi": 1Mi is not positive integer multiple of hugepages-2Mi`,
    ],
    [
      "a profile of the machine without a name",
      specOf({}, { securityContext: { seccompProfile: { type: "Localhost" } } }),
      `${first}.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
    ],
    [
      "processes that are shared twice",
      specOf({ shareProcessNamespace: true, hostPID: true }),
      "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
    ],
    [
      "an uneven spread of nothing",
      specOf({
        topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
      }),
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
    ],
    [
      "a node's field that is none",
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
      "a node in spite of a gate",
      specOf({ schedulingGates: [{ name: "example.com/a" }], nodeName: "n" }),
      "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
    ],
  ])("cannot have %s", (_, spec, fault) => {
    expect(faults(spec)).toEqual([fault]);
  });

  test("may ask for a resource of Kubernetes without a limit, but not for others", () => {
    const ask = (name: string) => faults(specOf({}, { resources: { requests: { [name]: "1" } } }));
    expect(ask("kubernetes.io/x")).toEqual([]);
    expect(ask("example.com/gpu")).toHaveLength(1);
  });

  test("is odd with ports that are told twice and spreads of nothing", () => {
    const ports = [1, 2].map(() => ({ containerPort: 80, protocol: "TCP" }));
    const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }];
    expect(warnOfPodSpec(specOf({ topologySpreadConstraints }, { ports }), "spec")).toEqual([
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
      `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`,
    ]);
  });

  test("loses gates later, and gains none", () => {
    const gated = specOf({ schedulingGates: [{ name: "example.com/a" }] });
    expect(validatePodSpecUpdate(specOf(), gated)).toEqual([]);
    expect(validatePodSpecUpdate(gated, specOf())[0]).toMatchObject({
      field: "spec.schedulingGates[0].name",
      message: "Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/a'",
    });
  });
});
