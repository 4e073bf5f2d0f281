import { describe, expect, test } from "vitest";
import { isSubmitError, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { type TestHost, testHost } from "../../../host/test-host.ts";
import { testDriver } from "../../../plan/test-driver.ts";
import type { Upload } from "../../../plan/uploads.ts";
import { type StageCall, withStagedDependencies } from "./stage-dependencies.ts";

const text = "x".repeat(2.5 * 1024 * 1024);

function machine(): TestHost {
  return testHost({
    terminal: true,
    files: { "/me/a.txt": { content: "a", mode: 0o600 }, "/me/big.jar": text, "/blocked": "" },
  });
}

function upload(path: string, directory = "file:///shared//spark-upload-1"): Upload {
  return { scheme: "file", path, sizeBytes: 1, directory, name: path.slice(path.lastIndexOf("/") + 1) };
}

interface Outcome {
  readonly value: string | undefined;
  readonly codes: readonly string[];
}

function stage(host: TestHost, more: Partial<StageCall> & { submission?: () => Promise<string> }) {
  const logged: string[] = [];
  const { submission = async () => "submitted", ...call } = more;
  const log: StageCall["log"] = (level, logger, line) => logged.push(`${level} ${logger}: ${line}`);
  const done = host.settle(
    withStagedDependencies(
      { host, log, uploads: [], owner: testDriver(), behaviors: { failedUploads: "removed" }, ...call },
      submission,
    ).then(
      (value): Outcome => ({ value, codes: [] }),
      (error: unknown): Outcome => ({
        value: undefined,
        codes: isSubmitError(error) ? error.issues.map(({ code }) => code) : [String(error)],
      }),
    ),
  );
  return { logged, done };
}

describe("local dependencies", () => {
  test("are uploaded, readable by all, before the submission continues", async () => {
    const host = machine();
    const uploads = [upload("/me/a.txt"), upload("/me/big.jar", "/shared/spark-upload-2")];
    const seen: (string | undefined)[] = [];
    const submission = async () => {
      seen.push(host.files.readText("/shared/spark-upload-1/a.txt"));
      return "submitted";
    };
    const { logged, done } = stage(host, { uploads, submission });
    expect((await done).value).toBe("submitted");
    expect(seen).toEqual(["a"]);
    expect(host.files.readText("/shared/spark-upload-2/big.jar")).toBe(text);
    expect(host.files.info("/shared/spark-upload-1/a.txt")?.mode).toBe(0o644);
    expect(logged).toEqual([
      "INFO KubernetesUtils: Uploading file: /me/a.txt to dest: file:///shared//spark-upload-1/a.txt...",
      "INFO KubernetesUtils: Uploading file: /me/big.jar to dest: /shared/spark-upload-2/big.jar...",
    ]);
  });

  test("that are directories are uploaded with their content, following links", async () => {
    const files = { "/me/app/a.txt": "a", "/me/app/sub/b": "b", "/me/app/l": { link: "a.txt" } };
    const host = testHost({ files: { ...files, "/me/app/none": null } });
    const { logged, done } = stage(host, { uploads: [{ ...upload("/me/app/"), name: "app", sizeBytes: 0 }] });
    expect((await done).value).toBe("submitted");
    const copy = "/shared/spark-upload-1/app";
    expect(host.files.list(copy)).toEqual(["a.txt", "l", "none", "sub"]);
    expect([`${copy}/l`, `${copy}/sub/b`].map((path) => host.files.readText(path))).toEqual(["a", "b"]);
    expect(host.files.info(`${copy}/l`, { followLinks: false })?.kind).toBe("file");
    expect(logged).toEqual([
      "INFO KubernetesUtils: Uploading file: /me/app/ to dest: file:///shared//spark-upload-1/app...",
    ]);
  });

  test("fail at a web server as in Spark", async () => {
    const uploads = [{ ...upload("/me/a.txt", "http://h/1"), scheme: "http" as const }];
    const { logged, done } = stage(machine(), { uploads, behaviors: { failedUploads: "spark" } });
    expect((await done).codes).toEqual(["SUBMIT_ERR_UPLOAD_FAILED"]);
    expect(logged).toEqual(["INFO KubernetesUtils: Uploading file: /me/a.txt to dest: http://h/1/a.txt..."]);
  });

  test.each<["removed" | "spark", string[]]>([
    ["removed", []],
    ["spark", ["spark-upload-1"]],
  ])("of a failing submission are removed, except with exactly Spark's behavior (%j)", async (failedUploads, left) => {
    const host = machine();
    const submission = () => Promise.reject(submitError("SUBMIT_ERR_INTERRUPTED", {}));
    const { done } = stage(host, {
      uploads: [upload("/me/a.txt")],
      behaviors: { failedUploads },
      submission,
    });
    expect((await done).codes).toEqual(["SUBMIT_ERR_INTERRUPTED"]);
    expect(host.files.list("/shared")).toEqual(left);
  });

  test("that are missing, or have no file system, reject the submission", async () => {
    const host = machine();
    const submission = () => Promise.reject(new Error("must not come here"));
    const gone = stage(host, { uploads: [upload("/me/a.txt"), upload("/me/gone", "/shared/2")], submission });
    expect((await gone.done).codes).toEqual(["SUBMIT_ERR_UPLOAD_FAILED"]);
    expect(host.files.list("/shared")).toEqual([]);
    const blocked = stage(host, { uploads: [upload("/me/a.txt", "file:///blocked/1")], submission });
    expect((await blocked.done).codes).toContain("SUBMIT_ERR_UPLOAD_FAILED");
  });

  test("are not uploaded without a login, which is the only error", async () => {
    const site =
      "<configuration><property><name>hadoop.security.authentication</name><value>kerberos</value></property>";
    const host = testHost({
      env: { HADOOP_CONF_DIR: "/etc/hadoop" },
      files: { "/me/a.txt": "a", "/etc/hadoop/core-site.xml": `${site}</configuration>` },
    });
    const { logged, done } = stage(host, { uploads: [upload("/me/a.txt", "hdfs://nn1/up/1")] });
    expect((await done).codes).toEqual(["SUBMIT_ERR_KERBEROS_MISSING"]);
    expect(logged).toEqual([]);
    const bucket = stage(machine(), { uploads: [upload("/me/a.txt", "s3a://bucket/up/1")] });
    expect((await bucket.done).codes).toEqual(["SUBMIT_ERR_UPLOAD_FAILED"]);
    expect(bucket.logged).toEqual([]);
  });

  test("are removed after an interruption, also in the middle of a file", async () => {
    const host = machine();
    const controller = new AbortController();
    const files: Host["files"] = {
      ...host.files,
      append: (path, content) => {
        controller.abort();
        host.files.append(path, content);
      },
    };
    const uploads = [upload("/me/big.jar"), upload("/me/a.txt", "/shared/spark-upload-2")];
    const { logged, done } = stage({ ...host, files }, { uploads, signal: controller.signal });
    expect((await done).codes).toEqual(["SUBMIT_ERR_INTERRUPTED"]);
    expect(logged).toHaveLength(1);
    expect(host.files.list("/shared")).toEqual([]);
  });

  test("that cannot be removed are reported", async () => {
    const host = machine();
    const files: Host["files"] = {
      ...host.files,
      remove: () => {
        throw new Error("EPERM");
      },
    };
    const submission = () => Promise.reject(submitError("SUBMIT_ERR_INTERRUPTED", {}));
    const { done } = stage({ ...host, files }, { uploads: [upload("/me/a.txt")], submission });
    expect((await done).codes).toEqual(["SUBMIT_ERR_INTERRUPTED", "SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE"]);
  });
});
