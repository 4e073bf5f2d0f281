import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiNamespaces } from "./api-namespaces.ts";
import { run, temporaryDirectory } from "./programs.ts";

describe("files are not uploaded", { timeout: 60_000 }, () => {
  const api = apiNamespaces("early");

  /** Runs a submission; returns its outcome and the uploaded paths. */
  async function submitTo(url: string, ...more: readonly string[]) {
    const [cwd, shared] = [temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(cwd, "job.py"), "print(1)\n");
    const path = `spark.kubernetes.file.upload.path=file://${shared}`;
    const image = "spark.kubernetes.container.image=spark";
    const settings = [path, image, ...more].flatMap((setting) => ["--conf", setting]);
    const args = ["--master", `k8s://${url}`, "--deploy-mode", "cluster", ...settings, "job.py"];
    const { exit, stderr } = await run("spark-submit", args, { cwd });
    return { exit, stderr, uploads: readdirSync(shared) };
  }

  test("when the API's certificate is not trusted", async () => {
    const { exit, stderr, uploads } = await submitTo(api.cluster().url);
    expect([exit, uploads]).toEqual([1, []]);
    expect(stderr).toContain("certificate");
    expect(stderr).not.toContain("Uploading file");
  });

  test("when the API rejects the credentials", async () => {
    const trust = "spark.kubernetes.trust.certificates=true";
    const token = "spark.kubernetes.authenticate.submission.oauthToken=nobody";
    const { exit, stderr, uploads } = await submitTo(api.cluster().url, trust, token);
    expect([exit, uploads]).toEqual([1, []]);
    expect(stderr).toContain("401");
    expect(stderr).not.toContain("Uploading file");
  });
});
