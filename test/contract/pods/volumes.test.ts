import { describe } from "vitest";
import { podClusters } from "../pod-cluster.ts";
import { isTerminated, sh, stateOf } from "../test-namespace.ts";
import { podChecks, terminated, waitsFor } from "./pod-checks.ts";

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("99 volumes show objects in the kubelet's layout, and keep written data", async (space, { expect }) => {
    await space.create("configmaps", {
      kind: "ConfigMap",
      metadata: { name: "c" },
      data: { k: "one", other: "two" },
    });
    await space.create("secrets", {
      kind: "Secret",
      metadata: { name: "s" },
      stringData: { pass: "word" },
    });
    await space.pod("p", {
      volumes: [
        { name: "c", configMap: { name: "c", items: [{ key: "k", path: "deep/k", mode: 0o444 }] } },
        { name: "s", secret: { secretName: "s", defaultMode: 0o440 } },
        {
          name: "d",
          downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] },
        },
        {
          name: "t",
          projected: {
            sources: [
              { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
              { configMap: { name: "c", items: [{ key: "other", path: "other" }] } },
            ],
          },
        },
        { name: "e", emptyDir: {} },
      ],
      initContainers: [
        sh("i", "echo sub > /e/file", { volumeMounts: [{ name: "e", mountPath: "/e", subPath: "a/b" }] }),
      ],
      containers: [
        sh(
          "a",
          "cat /c/deep/k; echo; readlink /c/deep | sed 's/^.*data/data/'; stat -L -c %a /c/deep/k; cat /s/pass; echo; cat /d/labels; echo; cut -d. -f1 /t/token | cut -c1-3; cat /t/other; echo; cat /e/a/b/file; cat /named/file; touch /ro/x 2>/dev/null || echo readonly",
          {
            env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            volumeMounts: [
              { name: "c", mountPath: "/c" },
              { name: "s", mountPath: "/s" },
              { name: "d", mountPath: "/d" },
              { name: "t", mountPath: "/t" },
              { name: "e", mountPath: "/e" },
              { name: "e", mountPath: "/named", subPathExpr: "a/b" },
              ...(cluster.isolates ? [{ name: "e", mountPath: "/ro", readOnly: true }] : []),
            ],
          },
        ),
      ],
    });
    await space.until("p", isTerminated);
    const link = cluster.isolates ? "data/deep\n444\n" : expect.anything();
    const text = await space.log("p", "container=a");
    if (cluster.isolates) {
      expect(text).toBe(`one\n${link}word\napp="p"\neyJ\ntwo\nsub\nsub\nreadonly\n`);
    } else {
      expect(text).toMatch(/^one\n[\s\S]*word\napp="p"\neyJ\ntwo\nsub\nsub\n/);
    }
  });

  check("99 an emptyDir above its size limit evicts its pod", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }],
      containers: [
        sh("a", "trap '' TERM; head -c 3000000 /dev/zero > /v/f; while :; do sleep 0.1; done", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }),
      ],
    });
    const pod = await space.until("p", isTerminated);
    const message = 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ';
    expect(pod.status).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect((await space.untilEvent("p", "Evicted")).message).toBe(message);
    expect(terminated(pod)).toMatchObject({ exitCode: 137, reason: "Error" });
  });

  check("99 a pod above its ephemeral storage limit is evicted", async (space, { expect }) => {
    const resources = { limits: { "ephemeral-storage": "2Mi" } };
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        sh("a", "head -c 3000000 /dev/zero > /v/f; exec sleep 100", {
          ...{ resources, volumeMounts: [{ name: "v", mountPath: "/v" }] },
        }),
      ],
    });
    expect((await space.until("p", isTerminated)).status).toMatchObject({
      ...{ phase: "Failed", reason: "Evicted" },
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ",
    });
  });

  check("99 an unknown variable in a volume path is reported", async (space, { expect }) => {
    const volumeMounts = [{ name: "v", mountPath: "/v", subPathExpr: "$(NOPE)" }];
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [sh("a", "true", { volumeMounts })],
    });
    const pod = await space.until("p", waitsFor("CreateContainerConfigError"));
    expect(stateOf(pod).waiting?.message).toBe("missing value for NOPE");
  });
});
