import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import { type ApiNamespaces, apiNamespaces } from "../acceptance/api-namespaces.ts";
import { call } from "../acceptance/embedded-api.ts";
import {
  initContainerStatus,
  type PushSubmission,
  resolvedAnnotation,
  runInitContainer,
  script,
  secretText,
  serviceManagerSettings,
  startPushSubmission,
} from "./push-submission.ts";

/** Points the service of a submission to an init container. */
async function annotateService(api: ApiNamespaces, { objects, namespace }: PushSubmission, url: string) {
  const service = (await objects()).find(
    ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
  );
  const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
  await call(api.cluster(), "PATCH", path, { metadata: { annotations: { [resolvedAnnotation]: url } } });
}

const tokenSettings = {
  ...serviceManagerSettings("ExternalAnnotation"),
  "spark.firesteel.submissionToken": "nightly-1",
};

describe("files that are pushed to a waiting init container", () => {
  const api = apiNamespaces("pushed");

  test("continue with the next client with the same token after a kill during the push", async () => {
    const submitted = await startPushSubmission(api, tokenSettings);
    await submitted.created();
    submitted.program.child.kill("SIGKILL");
    await submitted.program.ended;
    const { url, secretText: pushed, directory, program: init } = await runInitContainer(submitted);
    const headers = { "x-submission-secret": pushed, "x-submission-client": "killed", "upload-offset": "0" };
    const part = await fetch(`${url}/v1/submissions/create`, {
      method: "POST",
      headers,
      body: secretText.slice(0, 5),
    });
    expect(part.status).toBe(204);
    await annotateService(api, submitted, url);
    const { exit, stderr } = await submitted.again().ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain("adopting");
    expect((await init.ended).exit).toBe(0);
    expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe(secretText);
    expect(readFileSync(join(directory, "pyfiles/job.py"), "utf8")).toBe(script);
    expect(stderr).not.toContain(pushed);
  });

  test("are sent by the next client with the same token after a kill before the pod exists", async () => {
    let isHeld = false;
    const submitted = await startPushSubmission(api, tokenSettings, ({ method, path }) => {
      if (isHeld || method !== "POST" || !path.includes("/pods")) return "pass";
      isHeld = true;
      return "hold-before";
    });
    await Promise.race([submitted.proxy.held, submitted.program.ended]);
    submitted.program.child.kill("SIGKILL");
    await submitted.program.ended;
    expect((await submitted.objects()).filter(({ kind }) => kind === "Secret")).toHaveLength(1);
    const second = submitted.again();
    // Objects that only the first client needed have no owner, and a sweep removes them.
    const owned = async () =>
      (await submitted.objects()).filter(({ metadata }) => metadata.ownerReferences !== undefined);
    const created = async () => {
      const kinds = async () => (await owned()).map(({ kind }) => kind).sort();
      const all = ["ConfigMap", "ConfigMap", "NetworkPolicy", "Secret", "Service", "Service"];
      await expect.poll(kinds, { timeout: 60_000 }).toEqual(all);
      return owned();
    };
    const { url, directory } = await runInitContainer({ ...submitted, created });
    await annotateService(api, submitted, url);
    const { exit, stderr } = await second.ended;
    expect(exit, stderr).toBe(0);
    expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe(secretText);
  });

  test("are not sent again when another client with the token has sent them", async () => {
    const submitted = await startPushSubmission(api, tokenSettings);
    await submitted.created();
    const terminated = { exitCode: 0, reason: "Completed" };
    await submitted.setStatus({ phase: "Pending", initContainerStatuses: [initContainerStatus({ terminated })] });
    const { exit, stderr } = await submitted.program.ended;
    expect(exit, stderr).toBe(0);
    expect((await submitted.objects()).map(({ kind }) => kind)).toContain("Pod");
  });
});
