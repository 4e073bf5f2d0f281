import { describe, expect, test } from "vitest";
import { readPodTemplate } from "../plan/pod-template.ts";
import { buildPod } from "./pod-template.ts";

const names = { podName: "drv", namespace: "ns" };

function over(template: unknown, contribution: Parameters<typeof buildPod>[1]) {
  const read = readPodTemplate(template, {
    path: "pod.yml",
    containerName: undefined,
    templateKind: "pod",
    octalNumbers: true,
  });
  if (!read.ok) throw new Error("not a template");
  return buildPod(read.value.template, contribution, names);
}

describe("a pod over a template", () => {
  const contribution = {
    labels: { "spark-role": "driver" },
    podSpec: { restartPolicy: "Never", nodeSelector: { disk: "ssd" }, imagePullSecrets: [{ name: "mine" }] },
    container: {
      image: "img:1",
      args: ["driver"],
      resources: { requests: { cpu: "1" }, limits: { memory: "1408Mi" } },
      securityContext: { allowPrivilegeEscalation: false },
    },
    env: [{ name: "SPARK_USER", value: "me" }],
    ports: [{ containerPort: 4040 }],
    volumes: [{ name: "v", emptyDir: {} }],
    mounts: [{ name: "v", mountPath: "/v" }],
  };
  const template = {
    metadata: {
      name: "from-template",
      namespace: "other",
      finalizers: ["keep"],
      labels: { "spark-role": "mine", tpl: "label" },
    },
    spec: {
      restartPolicy: "Always",
      nodeSelector: { disk: "hdd", zone: "a" },
      imagePullSecrets: [{ name: "theirs" }],
      unknownField: "kept",
      volumes: [{ name: "t", emptyDir: {} }],
      initContainers: [{ name: "init" }],
      containers: [
        {
          name: "drv",
          image: "theirs",
          args: ["first"],
          command: ["/entry"],
          env: [{ name: "SPARK_USER", value: "tpl" }],
          resources: {
            requests: { cpu: "7", storage: "5Gi" },
            limits: { cpu: "8" },
            claims: [{ name: "c" }],
          },
          securityContext: { allowPrivilegeEscalation: true, runAsUser: 185 },
        },
        { name: "side" },
      ],
    },
  };
  const pod = over(template, contribution);

  test("has Spark's name, namespace and labels instead of the template's", () => {
    expect(pod.metadata).toEqual({
      name: "drv",
      namespace: "ns",
      finalizers: ["keep"],
      labels: { "spark-role": "driver", tpl: "label" },
    });
  });

  test("keeps fields that Spark does not set, and appends to lists", () => {
    expect(pod.spec).toMatchObject({
      restartPolicy: "Never",
      nodeSelector: { disk: "ssd", zone: "a" },
      imagePullSecrets: [{ name: "theirs" }, { name: "mine" }],
      unknownField: "kept",
      volumes: [{ name: "t" }, { name: "v" }],
      initContainers: [{ name: "init" }],
    });
  });

  test("has the driver's container last, merged over the template's first", () => {
    expect(pod.spec?.containers).toEqual([
      { name: "side" },
      {
        name: "drv",
        image: "img:1",
        args: ["first", "driver"],
        command: ["/entry"],
        env: [
          { name: "SPARK_USER", value: "tpl" },
          { name: "SPARK_USER", value: "me" },
        ],
        ports: [{ containerPort: 4040 }],
        volumeMounts: [{ name: "v", mountPath: "/v" }],
        resources: {
          requests: { cpu: "1", storage: "5Gi" },
          limits: { cpu: "8", memory: "1408Mi" },
          claims: [{ name: "c" }],
        },
        securityContext: { allowPrivilegeEscalation: false, runAsUser: 185 },
      },
    ]);
  });
});

test("a pod without a template has no namespace and no empty fields", () => {
  expect(buildPod(undefined, { container: { name: "c" } }, names)).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "drv" },
    spec: { containers: [{ name: "c" }] },
  });
});
