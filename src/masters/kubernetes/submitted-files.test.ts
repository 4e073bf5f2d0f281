import { describe, expect, test } from "vitest";
import { type Fault, refused } from "../../kube-client/test-api.ts";
import { codesOf, prepareSubmission, waitSetting } from "./test-submission.ts";

describe("a submission", () => {
  test("uploads local files, and removes them if the API rejects it", async () => {
    const conf = { [waitSetting]: "false", "spark.files": "/a.txt", "spark.kubernetes.file.upload.path": "/shared" };
    const files = { "/a.txt": "a" };
    const good = prepareSubmission(conf, { files });
    await good.run();
    const [directory = ""] = good.host.files.list("/shared") ?? [];
    const path = `/shared/${directory}/a.txt`;
    expect(good.host.files.readText(path)).toBe("a");
    expect(JSON.stringify([...good.api.objects.values()])).toContain(`spark.files=${path}\\n`);
    const fault: Fault = ({ method }) => (method === "POST" ? refused(403, "pods is forbidden") : undefined);
    const bad = prepareSubmission(conf, { files, fault: () => fault });
    expect(await codesOf(bad.run)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(bad.host.files.list("/shared")).toEqual([]);
  });

  test("stores small local files in a Secret, and removes it if the API rejects it", async () => {
    const conf = { [waitSetting]: "false", "spark.files": "/a.txt" };
    const files = { "/a.txt": "some text" };
    const secretOf = (api: { objects: ReadonlyMap<string, unknown> }) =>
      [...api.objects].filter(([path]) => path.includes("/secrets/")).map(([, object]) => object);
    const good = prepareSubmission(conf, { files });
    await good.run();
    const digest = "b94f6f125c79e3a5ffaa826f584c10d52ada669e6762051b826b55776d05aed2";
    expect(secretOf(good.api)).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: "Pod" }] },
        data: { [`sha256-${digest}`]: Buffer.from("some text").toString("base64") },
      },
    ]);
    expect(good.logged.join("\n")).toContain("go to the driver in Secrets; it finds them in /opt/spark-deps");
    const fault: Fault = ({ method }) => (method === "POST" ? refused(403, "pods is forbidden") : undefined);
    const bad = prepareSubmission(conf, { files, fault: () => fault });
    expect(await codesOf(bad.run)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(bad.api.objects.size).toBe(0);
  });

  test("requires an upload path, with exactly Spark's behavior", async () => {
    const env = { FIRESTEEL_STRICT: "1" };
    const conf = { "spark.files": "/a.txt", "spark.firesteel.staging.transport": "secret" };
    expect(await codesOf(prepareSubmission(conf, { files: { "/a.txt": "a" }, env }).run)).toEqual([
      "SUBMIT_ERR_UPLOAD_PATH_MISSING",
    ]);
  });
});
