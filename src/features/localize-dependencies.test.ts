import { describe, expect, test } from "vitest";
import type { DependencyFacts } from "../plan/facts.ts";
import { type TestSubmission, testDriver } from "../plan/test-driver.ts";
import type { Digest } from "../values/staged-entry.ts";
import { localizeDependencies } from "./localize-dependencies.ts";
import { contributeToExecutors } from "./localized-dependencies.ts";
import { podTemplateConfigMap } from "./pod-template-config-map.ts";

const files = {
  "spark.files": "file:/me/a,file:/me/b",
  "spark.firesteel.staging.initContainer.image": "init:1",
};

/** Facts of a file whose content and digest are those of `text`. */
function file(text: string, sizeBytes = text.length): DependencyFacts {
  const digest: Digest = `sha256:${text.charCodeAt(0).toString(16).padStart(64, "0")}`;
  return { uuid: "u", sizeBytes, content: { digest, isExecutable: text === "x", base64: btoa(text) } };
}

function contribution(dependencies: readonly DependencyFacts[], more: TestSubmission = {}) {
  const settings = { ...files, ...more.settings };
  return localizeDependencies.contribute(testDriver({ ...more, settings, facts: { dependencies, ...more.facts } }));
}

function clashes(more: TestSubmission) {
  const settings = { ...files, ...more.settings };
  const facts = { dependencies: [file("a"), file("b")], ...more.facts };
  return localizeDependencies
    .checkUse?.(testDriver({ settings, facts }))
    .map(({ code, message }) => ({ code, message }));
}

function template(container: object, spec: object = {}) {
  return {
    settings: { "spark.kubernetes.driver.podTemplateFile": "t.yaml" },
    facts: { driverTemplate: { spec: { containers: [{ name: "c", ...container }], ...spec } } },
  };
}

describe("files of this machine", () => {
  test("are in a Secret, readable and possibly executable by all, in a read-only directory", () => {
    const { volumes, mounts, resources } = contribution([file("a"), file("x")]);
    const name = "golden-aaaaaa1-deps";
    expect(mounts).toEqual([{ name: "firesteel-deps", mountPath: "/opt/spark-deps", readOnly: true }]);
    expect(volumes).toMatchObject([
      {
        name: "firesteel-deps",
        projected: {
          defaultMode: 0o644,
          sources: [{ secret: { name, items: [{ path: "files/a" }, { path: "files/b", mode: 0o755 }] } }],
        },
      },
    ]);
    expect(resources).toMatchObject([{ kind: "Secret", metadata: { name }, immutable: true }]);
    expect(JSON.stringify(resources)).toContain(btoa("x"));
  });

  test("with the same content are stored once", () => {
    const [secret] = contribution([file("a"), file("a")]).resources ?? [];
    expect(Object.keys(secret?.["data"] ?? {})).toHaveLength(1);
  });

  test("are split into Secrets that are small enough for the API", () => {
    const settings = { "spark.firesteel.staging.secret.maxSize": "2m" };
    const { volumes, resources } = contribution([file("a", 700_000), file("b", 700_000)], { settings });
    const names = resources?.map(({ metadata }) => metadata.name);
    expect(names).toEqual(["golden-aaaaaa1-deps", "golden-aaaaaa1-deps-2"]);
    expect(volumes?.[0]?.projected?.sources?.map(({ secret }) => secret?.name)).toEqual(names);
  });

  test("add nothing if there are none or they are uploaded", () => {
    expect(localizeDependencies.contribute(testDriver())).toEqual({});
    const settings = { "spark.kubernetes.file.upload.path": "/shared" };
    expect(contribution([file("a"), file("b")], { settings })).toEqual({});
  });

  test("are annotated on the pod if uploads are removed with it", () => {
    const path = { "spark.kubernetes.file.upload.path": "/shared" };
    const settings = { ...path, "spark.firesteel.staging.removeUploads": "true" };
    const { annotations = {} } = contribution([file("a"), file("b")], { settings });
    const directories: unknown = JSON.parse(annotations["firesteel.dev/uploads"] ?? "");
    expect(directories).toEqual([expect.stringMatching(/^\/shared\/spark-upload-/), expect.any(String)]);
    expect(contribution([file("a")], { settings, behaviors: { failedUploads: "spark" } })).toEqual({});
  });

  test("T74: can be copied by Spark even if the root file system is read-only", () => {
    const readOnly = { securityContext: { readOnlyRootFilesystem: true } };
    const work = { name: "firesteel-work-dir", mountPath: "/opt/spark/work-dir" };
    expect(contribution([file("a"), file("b")], template(readOnly)).mounts).toContainEqual(work);
    const own = { ...readOnly, volumeMounts: [{ name: "w", mountPath: "/opt/spark/work-dir/" }] };
    expect(contribution([file("a"), file("b")], template(own)).mounts).toHaveLength(1);
    expect(contribution([file("a"), file("b")], template({})).mounts).toHaveLength(1);
  });
});

describe("an init container", () => {
  const server = {
    "spark.firesteel.staging.server": "https://s",
    "spark.firesteel.staging.transport": "server",
  };
  const made = (more: TestSubmission = {}) =>
    contribution([file("a", 100), file("b", 200)], { ...more, settings: { ...server, ...more.settings } });

  test("brings staged files into a sufficiently large volume, which is read-only for others", () => {
    const { initContainers, volumes, mounts } = made();
    expect(initContainers).toMatchObject([
      {
        name: "firesteel-localize",
        image: "init:1",
        args: ["/etc/firesteel-localize/localize.json"],
        volumeMounts: [{ name: "firesteel-deps", mountPath: "/opt/spark-deps" }, { name: "firesteel-localize" }],
      },
    ]);
    expect(volumes).toMatchObject([
      { name: "firesteel-deps", emptyDir: { sizeLimit: String(360 + 64 * 1024 * 1024) } },
      { name: "firesteel-localize" },
    ]);
    expect(mounts).toEqual([{ name: "firesteel-deps", mountPath: "/opt/spark-deps", readOnly: true }]);
  });

  test("satisfies the restricted Pod Security Standard", () => {
    expect(made().initContainers?.[0]?.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 185,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  test("gets its configuration from objects that the driver's pod owns", () => {
    expect(made().resources?.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ["ConfigMap", "golden-aaaaaa1-deps-conf"],
      ["Secret", "golden-aaaaaa1-deps-token"],
    ]);
  });

  test("reads the credentials from the configured file", () => {
    const bucket = {
      "spark.firesteel.staging.transport": "s3",
      "spark.firesteel.staging.s3.path": "s3://bucket",
    };
    const keysOf = (settings: Readonly<Record<string, string>>) =>
      contribution([file("a"), file("b")], { settings }).resources?.flatMap(({ kind, data }) =>
        kind === "Secret" ? Object.keys(Object.assign({}, data)) : [],
      );
    expect([keysOf(server), keysOf(bucket)]).toEqual([["token"], ["urls.json"]]);
  });

  test("has the configured timeout, also from the key of Spark's first client", () => {
    const secondsOf = (settings: Readonly<Record<string, string>>) => {
      const text = made({ settings }).resources?.[0]?.["data"];
      return /"timeoutSeconds": (\d+)/.exec(JSON.stringify(text).replaceAll("\\", ""))?.[1];
    };
    expect(secondsOf({})).toBe("300");
    expect(secondsOf({ "spark.firesteel.staging.initContainer.timeout": "2h" })).toBe("7200");
    expect(secondsOf({ "spark.kubernetes.mountDependencies.timeout": "600" })).toBe("600");
  });

  test("is added to those of a pod template, but conflicts with one of the same name", () => {
    const own = (name: string) => template({}, { initContainers: [{ name }] });
    expect(clashes({ ...own("fetch"), settings: { ...own("fetch").settings, ...server } })).toEqual([]);
    expect(clashes(own("firesteel-localize"))).toMatchObject([
      { message: expect.stringContaining("an init container of the pod template") },
    ]);
  });
});

describe("executors with the files", () => {
  const settings = {
    ...files,
    "spark.firesteel.staging.mode": "everywhere",
    "spark.firesteel.staging.transport": "server",
    "spark.firesteel.staging.server": "https://staging:10000",
  };
  const dependencies = [file("a"), file("b")];

  function templateOf(executorTemplate?: unknown, more: Readonly<Record<string, string>> = {}) {
    const facts = { dependencies, executorTemplate, executorTemplateText: "as the user wrote it" };
    const driver = testDriver({ settings: { ...settings, ...more }, facts });
    const [map] = podTemplateConfigMap.contribute(driver).resources ?? [];
    const data: unknown = map?.["data"];
    const [text] = typeof data === "object" && data !== null ? Object.values(data) : [];
    return JSON.parse(String(text));
  }

  test("have a pod template with the driver's init container, volumes and mount", () => {
    const { initContainers, volumes } = localizeDependencies.contribute(
      testDriver({ settings, facts: { dependencies } }),
    );
    const mount = { name: "firesteel-deps", mountPath: "/opt/spark-deps", readOnly: true };
    expect(templateOf()).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      spec: {
        containers: [{ name: "spark-kubernetes-executor", volumeMounts: [mount] }],
        initContainers,
        volumes,
      },
    });
  });

  test("keep their own template and its named container", () => {
    const own = {
      metadata: { labels: { team: "x" } },
      spec: {
        nodeSelector: { disk: "ssd" },
        containers: [{ name: "log" }, { name: "main", volumeMounts: [{ name: "w", mountPath: "/w" }] }],
        initContainers: [{ name: "fetch" }],
        volumes: [{ name: "w" }],
      },
    };
    const merged = templateOf(own, { "spark.kubernetes.executor.podTemplateContainerName": "main" });
    expect(merged).toMatchObject({ metadata: own.metadata, spec: { nodeSelector: { disk: "ssd" } } });
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
    expect(names(merged.spec.initContainers)).toEqual(["fetch", "firesteel-localize"]);
    expect(names(merged.spec.volumes)).toEqual(["w", "firesteel-deps", "firesteel-localize"]);
    expect(merged.spec.containers[0]).toEqual({ name: "log" });
    expect(names(merged.spec.containers[1].volumeMounts)).toEqual(["w", "firesteel-deps"]);
  });

  test("have the same in rendered pods", () => {
    const driver = testDriver({ settings, facts: { dependencies } });
    const { initContainers, mounts } = contributeToExecutors({ driver });
    expect(initContainers).toMatchObject([{ name: "firesteel-localize" }]);
    expect(mounts).toMatchObject([{ name: "firesteel-deps" }]);
    expect(contributeToExecutors({ driver: testDriver({ settings: files, facts: { dependencies } }) })).toEqual({});
  });

  test("conflict with a template that uses Firesteel's names", () => {
    const executorTemplate = { spec: { volumes: [{ name: "firesteel-deps" }] } };
    expect(clashes({ settings, facts: { executorTemplate } })).toMatchObject([
      { message: expect.stringContaining("of the executors' pod template") },
    ]);
  });
});

test("reports volumes and mounts that conflict with the directory", () => {
  const code = "SUBMIT_ERR_STAGING_CONFLICT";
  const mount = { volumeMounts: [{ name: "w", mountPath: "/opt/spark-deps/" }] };
  const family = "spark.kubernetes.driver.volumes.emptyDir";
  expect(clashes({})).toEqual([]);
  expect(clashes(template(mount))).toMatchObject([
    { code, message: expect.stringContaining("a mount of the pod template") },
  ]);
  expect(clashes(template({}, { volumes: [{ name: "firesteel-deps" }] }))).toMatchObject([
    { code, message: expect.stringContaining("a volume of the pod template") },
  ]);
  for (const settings of [
    { [`${family}.mine.mount.path`]: "/opt/spark-deps" },
    { [`${family}.firesteel-deps.mount.path`]: "/elsewhere" },
  ]) {
    expect(clashes({ settings })).toMatchObject([{ code, message: expect.stringContaining("of the settings") }]);
  }
});
