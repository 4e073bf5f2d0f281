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
  expect(withKubernetesScalars(template)).toEqual({
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
  expect(withKubernetesScalars(spec)).toEqual({
    volumes: [{ configMap: { defaultMode: 420, items: [{ mode: 256 }] } }],
    securityContext: { runAsUser: 185 },
    containers: [{ ports: [{ containerPort: 8080 }], livenessProbe: { httpGet: { port: "http" } } }],
  });
});

test("everything else stays, unknown fields included", () => {
  const pod = { apiVersion: "v1", spec: { unknownField: [1, null, { deep: "0644" }] } };
  expect(withKubernetesScalars(pod)).toEqual(pod);
});
