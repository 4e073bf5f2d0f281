import { expect, test } from "vitest";
import { withKubernetesScalars } from "./template-scalars.ts";

test("converts unquoted numbers and booleans to strings for string fields", () => {
  const template = {
    metadata: { labels: { version: 2 }, annotations: { on: true } },
    spec: {
      nodeSelector: { zone: 1 },
      containers: [
        {
          args: ["-n", 5],
          env: [{ name: "N", value: 0.5 }],
          resources: { limits: { cpu: 2, memory: "1Gi" } },
        },
      ],
    },
  };
  expect(withKubernetesScalars(template).value).toEqual({
    metadata: { labels: { version: "2" }, annotations: { on: "true" } },
    spec: {
      nodeSelector: { zone: "1" },
      containers: [
        {
          args: ["-n", "5"],
          env: [{ name: "N", value: "0.5" }],
          resources: { limits: { cpu: "2", memory: "1Gi" } },
        },
      ],
    },
  });
});

test("converts quoted numbers to numbers for number fields, including octal ones", () => {
  const spec = {
    volumes: [{ configMap: { defaultMode: "0644", items: [{ mode: "0400" }] } }],
    securityContext: { runAsUser: "185" },
    containers: [{ ports: [{ containerPort: "8080" }], livenessProbe: { httpGet: { port: "http" } } }],
  };
  expect(withKubernetesScalars(spec).value).toEqual({
    volumes: [{ configMap: { defaultMode: 420, items: [{ mode: 256 }] } }],
    securityContext: { runAsUser: 185 },
    containers: [{ ports: [{ containerPort: 8080 }], livenessProbe: { httpGet: { port: "http" } } }],
  });
});

test("keeps all other values and unknown fields", () => {
  const pod = { apiVersion: "v1", spec: { unknownField: [1, null, { mode: "0644", value: 1 }] } };
  expect(withKubernetesScalars(pod)).toEqual({ value: pod, problems: [] });
});

test.each([
  ["hostNetwork", "true", true],
  ["hostNetwork", " FALSE ", false],
  ["hostNetwork", 1, true],
  ["hostNetwork", "", null],
  ["priority", "7", 7],
  ["priority", "-1", -1],
  ["priority", "0o17", 15],
  ["runAsUser", "0185", 185],
  ["runAsUser", "2.9", 2],
  ["runAsUser", "", null],
  ["terminationGracePeriodSeconds", " 45 ", 45],
  ["hostname", 12, "12"],
])("converts %s: %j to %j", (field, value, expected) => {
  expect(withKubernetesScalars({ spec: { [field]: value } })).toEqual({
    value: { spec: { [field]: expected } },
    problems: [],
  });
});

test("reads octal numbers as decimal ones for older client libraries", () => {
  const template = { spec: { volumes: [{ secret: { defaultMode: "0400" } }] } };
  expect(withKubernetesScalars(template, { octalNumbers: false }).value).toEqual({
    spec: { volumes: [{ secret: { defaultMode: 400 } }] },
  });
});

test("reports all values that cannot be converted, without the values", () => {
  const spec = {
    hostNetwork: "maybe",
    terminationGracePeriodSeconds: "abc",
    containers: [{ ports: [{ containerPort: true }] }],
  };
  expect(withKubernetesScalars(spec).problems).toEqual([
    "hostNetwork is neither true nor false",
    "terminationGracePeriodSeconds is not an integer",
    "containerPort is not an integer",
  ]);
});

test.each([
  ["env", { A: "b" }, "env is not a list"],
  ["env", ["A=b"], "env contains items that are not objects"],
  ["args", "--flag", "args is not a list"],
  ["args", [{ "--flag": "x" }], "args contains items that are not strings"],
  ["labels", ["a"], "labels is not a map of strings"],
  ["annotations", { a: { b: "c" } }, "annotations is not a map of strings"],
  ["securityContext", [{ runAsUser: 1 }], "securityContext is not an object"],
  ["affinity", "", "affinity is not an object"],
  ["workingDir", ["/w"], "workingDir is a list or an object"],
  ["hostNetwork", [true], "hostNetwork is a list or an object"],
  ["limits", { "example.com/x": "" }, "limits has an empty quantity"],
])("reports %s: %j", (field, value, problem) => {
  expect(withKubernetesScalars({ [field]: value }).problems).toEqual([problem]);
});

test.each([
  ["image", "spark:4"],
  ["image", { reference: "files:1" }],
  ["requiredDuringSchedulingIgnoredDuringExecution", [{ topologyKey: "zone" }]],
  ["requiredDuringSchedulingIgnoredDuringExecution", { nodeSelectorTerms: [] }],
  ["env", null],
  ["emptyDir", null],
  ["unknownField", ["x"]],
])("accepts %s: %j", (field, value) => {
  expect(withKubernetesScalars({ [field]: value })).toEqual({ value: { [field]: value }, problems: [] });
});

test("reads null in a list of objects as an object without fields", () => {
  const pod = (item: unknown) => ({
    metadata: { ownerReferences: [item] },
    spec: {
      ...{ containers: [{ name: "a", env: [item], ports: [item] }, item], initContainers: [item], tolerations: [item] },
      volumes: [{ configMap: { items: [item] } }, item],
    },
  });
  expect(withKubernetesScalars(pod(null))).toEqual({ value: pod({}), problems: [] });
});
