import { expect, test } from "vitest";
import { withKubernetesScalars } from "./template-scalars.ts";

test("unquoted numbers and booleans become text where Kubernetes wants text", () => {
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

test("quoted numbers become numbers where Kubernetes wants numbers, octal ones included", () => {
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

test("everything else stays, unknown fields included", () => {
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
])("%s: %j is %j", (field, given, expected) => {
  expect(withKubernetesScalars({ spec: { [field]: given } })).toEqual({
    value: { spec: { [field]: expected } },
    problems: [],
  });
});

test("older client libraries know no octal numbers", () => {
  const given = { spec: { volumes: [{ secret: { defaultMode: "0400" } }] } };
  expect(withKubernetesScalars(given, { octalNumbers: false }).value).toEqual({
    spec: { volumes: [{ secret: { defaultMode: 400 } }] },
  });
});

test("all that cannot be brought into the type of its field is told, without the values", () => {
  const spec = {
    hostNetwork: "maybe",
    terminationGracePeriodSeconds: "abc",
    containers: [{ ports: [{ containerPort: true }] }],
  };
  expect(withKubernetesScalars(spec).problems).toEqual([
    "hostNetwork is neither true nor false",
    "terminationGracePeriodSeconds is no whole number",
    "containerPort is no whole number",
  ]);
});

test.each([
  ["env", { A: "b" }, "env is no list"],
  ["env", ["A=b"], "env holds something else than objects"],
  ["args", "--flag", "args is no list"],
  ["args", [{ "--flag": "x" }], "args holds something else than texts"],
  ["labels", ["a"], "labels is no map of texts"],
  ["annotations", { a: { b: "c" } }, "annotations is no map of texts"],
  ["securityContext", [{ runAsUser: 1 }], "securityContext is no object"],
  ["affinity", "", "affinity is no object"],
  ["workingDir", ["/w"], "workingDir is a list or an object"],
  ["hostNetwork", [true], "hostNetwork is a list or an object"],
  ["limits", { "example.com/x": "" }, "limits has an empty amount"],
])("%s: %j is told", (field, value, problem) => {
  expect(withKubernetesScalars({ [field]: value }).problems).toEqual([problem]);
});

test.each([
  ["image", "spark:4"],
  ["image", { reference: "files:1" }],
  ["requiredDuringSchedulingIgnoredDuringExecution", [{ topologyKey: "zone" }]],
  ["requiredDuringSchedulingIgnoredDuringExecution", { nodeSelectorTerms: [] }],
  ["env", null],
  ["containers", [null, { name: "a" }]],
  ["emptyDir", null],
  ["unknownField", ["x"]],
])("%s: %j is taken", (field, value) => {
  expect(withKubernetesScalars({ [field]: value })).toEqual({ value: { [field]: value }, problems: [] });
});
