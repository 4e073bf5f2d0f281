import { describe, expect, test } from "vitest";
import { volumes } from "./entries/volumes.ts";
import { parseVolumeSpecs } from "./parse-volume-specs.ts";
import type { Setting } from "./setting.ts";
import { SparkConf } from "./spark-conf.ts";
import type { SparkLine } from "./spark-version.ts";
import { checkMountPaths } from "./volume-spec.ts";

function parse(options: Record<string, string>, line: SparkLine = "4.3") {
  const settings = Object.entries(options).map(
    ([option, value]): Setting => ({
      key: `spark.kubernetes.driver.volumes.${option}`,
      value,
      origin: { kind: "conf" },
    }),
  );
  return parseVolumeSpecs(
    new SparkConf(settings, { text: line, line }, { env: {}, defaults: () => undefined }),
    volumes.driver,
  );
}

function specs(options: Record<string, string>, line?: SparkLine) {
  const { specs: parsed, issues } = parse(options, line);
  return issues.length === 0 ? parsed : issues.map(({ message }) => message);
}

const mount = { readOnly: false, subPath: "", subPathExpr: "" };

describe("volume types", () => {
  test("parses a directory of the node", () => {
    const options = {
      "hostPath.h.mount.path": "/h",
      "hostPath.h.mount.readOnly": "TRUE",
      "hostPath.h.mount.subPath": "s",
      "hostPath.h.options.path": "/host",
      "hostPath.h.options.type": "Directory",
    };
    const common = {
      type: "hostPath",
      name: "h",
      mountPath: "/h",
      readOnly: true,
      subPath: "s",
      subPathExpr: "",
    };
    expect(specs(options)).toEqual([{ ...common, path: "/host", hostPathType: "Directory" }]);
    expect(specs(options, "3.5")).toEqual([{ ...common, path: "/host", hostPathType: "" }]);
  });

  test("parses an empty directory", () => {
    expect(specs({ "emptyDir.e.mount.path": "/e" })).toEqual([
      { ...mount, type: "emptyDir", name: "e", mountPath: "/e", medium: "", sizeLimit: undefined },
    ]);
  });

  test("parses an NFS share", () => {
    const options = { "nfs.n.mount.path": "/n", "nfs.n.options.path": "/p", "nfs.n.options.server": "s" };
    expect(specs(options)).toEqual([{ ...mount, type: "nfs", name: "n", mountPath: "/n", path: "/p", server: "s" }]);
  });

  test("parses a claim created on demand, with labels and annotations since 4.0", () => {
    const options = {
      "persistentVolumeClaim.p.mount.path": "/p",
      "persistentVolumeClaim.p.options.claimName": "OnDemand",
      "persistentVolumeClaim.p.options.storageClass": "fast",
      "persistentVolumeClaim.p.options.sizeLimit": "10Gi",
      "persistentVolumeClaim.p.label.example.org/team": "a",
      "persistentVolumeClaim.p.annotation.note": "b",
    };
    const claim = {
      ...mount,
      type: "persistentVolumeClaim",
      name: "p",
      mountPath: "/p",
      claimName: "OnDemand",
      storageClass: "fast",
      sizeLimit: "10Gi",
    };
    expect(specs(options)).toEqual([
      { ...claim, labels: new Map([["example.org/team", "a"]]), annotations: new Map([["note", "b"]]) },
    ]);
    expect(specs(options, "3.5")).toEqual([{ ...claim, labels: new Map(), annotations: new Map() }]);
  });

  test("sorts volumes and ignores keys that do not name a volume", () => {
    const found = specs({
      "nfs..": "x",
      nfs: "x",
      "emptyDir.b.mount.path": "/b",
      "emptyDir.a.mount.path": "/a",
    });
    expect(found).toMatchObject([{ name: "a" }, { name: "b" }]);
  });
});

describe("invalid volumes, with Spark's messages", () => {
  test.each([
    [
      "SUBMIT_ERR_VOLUME_MOUNT_PATH_MISSING",
      { "nfs.n.options.path": "/p", "nfs.n.options.server": "s" },
      "key not found: nfs.n.mount.path",
    ],
    [
      "SUBMIT_ERR_VOLUME_OPTION_MISSING",
      { "nfs.n.mount.path": "/n", "nfs.n.options.path": "/p" },
      "nfs.n.options.server is required for nfs",
    ],
    [
      "SUBMIT_ERR_VOLUME_OPTION_MISSING",
      { "hostPath.h.mount.path": "/h" },
      "hostPath.h.options.path is required for hostPath",
    ],
    [
      "SUBMIT_ERR_VOLUME_OPTION_MISSING",
      { "persistentVolumeClaim.p.mount.path": "/p" },
      "persistentVolumeClaim.p.options.claimName is required for persistentVolumeClaim",
    ],
    [
      "SUBMIT_ERR_VOLUME_TYPE",
      { "configMap.c.mount.path": "/c" },
      "Kubernetes Volume type `configMap` is not supported",
    ],
    [
      "SUBMIT_ERR_VOLUME_INPUT",
      { "emptyDir.e.mount.path": "/e", "emptyDir.e.mount.readOnly": "yes" },
      'For input string: "yes"',
    ],
    [
      "SUBMIT_ERR_VOLUME_SIZE_WITHOUT_UNIT",
      { "emptyDir.e.mount.path": "/e", "emptyDir.e.options.sizeLimit": "1023" },
      "Volume size `1023` is smaller than 1KiB. Missing units?",
    ],
    [
      "SUBMIT_ERR_VOLUME_INPUT",
      { "emptyDir.e.mount.path": "/e", "emptyDir.e.options.sizeLimit": "" },
      'For input string: ""',
    ],
    [
      "SUBMIT_ERR_VOLUME_SUB_PATHS",
      { "emptyDir.e.mount.path": "/e", "emptyDir.e.mount.subPath": "a", "emptyDir.e.mount.subPathExpr": "b" },
      "These config options are mutually exclusive: emptyDir.e.mount.subPath, emptyDir.e.mount.subPathExpr",
    ],
  ])("reports %s for %j", (code, options, message) => {
    const result = parse(options);
    expect(result.issues).toMatchObject([{ code, message }]);
  });

  test("reports all issues together", () => {
    const options = { "nfs.n.mount.readOnly": "1", "hostPath.h.mount.path": "/h", "gcs.g.mount.path": "/g" };
    expect(specs(options)).toEqual([
      "Kubernetes Volume type `gcs` is not supported",
      "hostPath.h.options.path is required for hostPath",
      "key not found: nfs.n.mount.path",
      'For input string: "1"',
      "nfs.n.options.path is required for nfs",
      "nfs.n.options.server is required for nfs",
    ]);
  });

  test("accepts sizes and two sub paths in 3.5, which has no subPathExpr", () => {
    const options = {
      "emptyDir.e.mount.path": "/e",
      "emptyDir.e.options.sizeLimit": "5",
      "emptyDir.e.mount.subPath": "a",
      "emptyDir.e.mount.subPathExpr": "b",
    };
    expect(specs(options, "3.5")).toMatchObject([{ sizeLimit: "5", subPath: "a", subPathExpr: "" }]);
    expect(specs({ "emptyDir.e.mount.path": "/e", "emptyDir.e.options.sizeLimit": "1024" })).toMatchObject([
      { sizeLimit: "1024" },
    ]);
  });

  test("rejects an empty size in 3.5 with another message", () => {
    const options = { "emptyDir.e.mount.path": "/e", "emptyDir.e.options.sizeLimit": "" };
    expect(specs(options, "3.5")).toEqual(["Invalid quantity string format passed."]);
  });

  test("rejects two volumes with the same mount path", () => {
    const found = parse({
      "emptyDir.a.mount.path": "/x",
      "emptyDir.b.mount.path": "/x",
      "emptyDir.c.mount.path": "/c",
    });
    expect(checkMountPaths(found.specs)).toEqual([
      {
        code: "SUBMIT_ERR_MOUNT_PATH_DUPLICATE",
        message: "requirement failed: Found duplicated mountPath: '/x'",
      },
    ]);
  });
});
