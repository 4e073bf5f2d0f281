import { describe, expect, test } from "vitest";
import { modulesFrom } from "../../../packages/test-modules.ts";
import { draftProblems, draftRequest, type TestDraft } from "../test-draft.ts";

const upload = { "spark.kubernetes.file.upload.path": "file:///shared" };
const env = { DEFAULT_ARTIFACT_REPOSITORY: "file:/m", FIRESTEEL_CACHE: "/c" };
const files = modulesFrom("/m", ["x:1 -> a:1", "a:1"]);

async function settingsOf({ fields, conf = {}, ...draft }: TestDraft) {
  const { request, warnings } = await draftRequest({
    fields: { packages: "g:x:1", ...fields },
    conf: { ...upload, ...conf },
    machine: { env, files, ...draft.machine },
    ...(draft.resource === undefined ? {} : { resource: draft.resource }),
  });
  const text = (key: string) => request.conf.text(key)?.replaceAll(/file:\/\/\/c\/packages\/jars\/[0-9a-f]+\//g, "");
  return { text, warnings, conf: request.conf };
}

describe("packages of a submission to Kubernetes", () => {
  test("become jars, and the driver gets no packages", async () => {
    const { text, warnings } = await settingsOf({ fields: { jars: "local:///b.jar", packagesExclusions: "g:none" } });
    expect(text("spark.jars")).toBe("local:///b.jar,g_x-1.jar,g_a-1.jar,local:///app.jar");
    expect(text("spark.jars.packages")).toBeUndefined();
    expect(text("spark.jars.excludes")).toBeUndefined();
    expect(warnings).toContain("Added 2 jars for g:x:1");
  });

  test("of the setting do, too, without those that are excluded", async () => {
    const conf = { "spark.jars.packages": "g:x:1", "spark.jars.excludes": "g:a", ...upload };
    const { request } = await draftRequest({ conf, machine: { env, files } });
    expect(request.conf.text("spark.jars")).toMatch(/^file:\/\/\/c\/packages\/jars\/[0-9a-f]{32}\/g_x-1\.jar,local:/);
    expect(request.conf.text("spark.jars.packages")).toBeUndefined();
    expect(request.conf.settings().find(({ key }) => key === "spark.jars")?.origin.kind).toBe("client");
  });

  test("without Python modules are not on the path of a Python application", async () => {
    const { text } = await settingsOf({ resource: "local:///app.py" });
    expect(text("spark.submit.pyFiles")).toBe("");
    expect(text("spark.jars")).toBe("g_x-1.jar,g_a-1.jar");
  });

  test("are those of the lock file of the working directory", async () => {
    const lock = { version: 1, packages: ["g:y:1"], excludes: [], transitive: true, jars: [] };
    const machine = { env, files: { ...files, "/w/spark-packages.lock": JSON.stringify(lock) } };
    const draft = { fields: { packages: "g:x:1" }, conf: upload, machine };
    expect(await draftProblems(draft)).toEqual([
      "SUBMIT_ERR_PACKAGE_LOCK: Cannot use the lock file /w/spark-packages.lock: it is for other packages.",
    ]);
    const conf = { ...upload, "spark.firesteel.packages.lock": "" };
    expect((await settingsOf({ conf, machine })).text("spark.jars")).toContain("g_x-1.jar");
    const named = { ...upload, "spark.firesteel.packages.lock": "other.lock" };
    expect(await draftProblems({ ...draft, conf: named })).toEqual([
      "SUBMIT_ERR_PACKAGE_LOCK: Cannot use the lock file /w/other.lock: it does not exist.",
    ]);
  });

  test("that do not exist reject the submission", async () => {
    const draft = { fields: { packages: "g:none:1" }, conf: upload, machine: { env, files } };
    expect(await draftProblems(draft)).toEqual([
      "SUBMIT_ERR_PACKAGE_UNRESOLVED: [unresolved dependency: g#none;1: not found]",
    ]);
    const warnings: string[] = [];
    const log = (_level: string, _logger: string, text: string) => warnings.push(text);
    await draftProblems({ ...draft, input: { log } });
    const advice = "If only the cluster reaches the repositories, set spark.firesteel.packages.resolver=driver";
    expect(warnings).toContain(advice);
  });

  test("are not resolved for an invalid submission", async () => {
    const fields = { packages: "g:none:1", principal: "me", keytab: "/none.keytab" };
    const problems = await draftProblems({ fields, conf: upload, machine: { env, files } });
    expect(problems.map((problem) => problem.replace(/:.*/, ""))).toEqual(["SUBMIT_ERR_KEYTAB_MISSING"]);
  });

  test.each([
    [{ "spark.firesteel.packages.resolver": "driver" }, "spark.firesteel.packages.resolver says so"],
    [{ "spark.kubernetes.file.upload.path": "s3a://b/up" }, "it may need them to read the files at s3a:"],
    [{ "spark.jars": "gs://b/x.jar" }, "it may need them to read the files at gs:"],
    [{ "spark.jars.ivySettings": "/image/ivy.xml" }, "spark.jars.ivySettings names no file on this machine"],
    [{ "spark.firesteel.staging.transport": "none" }, "spark.firesteel.staging.transport allows no local files"],
  ])("stay with the driver with %j", async (conf, reason) => {
    const { text, warnings } = await settingsOf({ conf });
    expect(text("spark.jars.packages")).toBe("g:x:1");
    expect(warnings).toContain(`The driver resolves g:x:1: ${reason}`);
  });

  test("stay with the driver if their jars cannot reach it, unless the setting says otherwise", async () => {
    const conf = { "spark.firesteel.staging.secret.maxSize": "20b" };
    const draft = { fields: { packages: "g:x:1" }, conf, machine: { env, files } };
    const { request, warnings } = await draftRequest(draft);
    expect(request.conf.text("spark.jars.packages")).toBe("g:x:1");
    const reason = "(32 of 20 bytes of base64), and spark.firesteel.staging.initContainer.image is not set";
    expect(warnings).toContain(`The driver resolves g:x:1: their jars are too large for Secrets ${reason}`);
    const forced = { ...conf, "spark.firesteel.packages.resolver": "submission" };
    expect((await draftRequest({ ...draft, conf: forced })).request.conf.text("spark.jars.packages")).toBeUndefined();
  });

  test("stay with the driver with Spark's behavior", async () => {
    const { text, warnings } = await settingsOf({ machine: { env: { ...env, FIRESTEEL_STRICT: "1" }, files } });
    expect(text("spark.jars.packages")).toBe("g:x:1");
    expect(warnings).toEqual([]);
  });
});
