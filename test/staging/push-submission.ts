import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import type { LocalizeSource, PushSource } from "../../src/staging-client/localize-config.ts";
import type { ApiNamespaces } from "../acceptance/api-namespaces.ts";
import { call } from "../acceptance/embedded-api.ts";
import type { RecordedRequest, RequestOutcome } from "../acceptance/fault-proxy.ts";
import { localize, programOutput, type Run, secret } from "../acceptance/localize.ts";
import { start, temporaryDirectory, withSpark } from "../acceptance/programs.ts";

/** Text of the script of a submission. */
export const script = "print('of this machine')\n";

/** Text of its file. */
export const secretText = "text that no other object may have";

/** Annotation with the URL of a service. */
export const resolvedAnnotation = "spark-job.alpha.apache.org/resolvedExternalUri";

/** Creates a directory with a script and a file. */
export function jobDirectory(text = script): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "job.py"), text);
  writeFileSync(join(directory, "conf.txt"), secretText);
  return directory;
}

/** Returns the arguments of a submission by push. */
export function pushArgs(settings: Readonly<Record<string, string>>): readonly string[] {
  return [
    ...["--staging", "push"],
    ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...["--files", "conf.txt", "job.py"],
  ];
}

/** Starts a submission in a namespace without controllers. */
export async function startPushSubmission(
  api: ApiNamespaces,
  settings: Readonly<Record<string, string>> = {},
  decide?: (visit: RecordedRequest) => RequestOutcome,
) {
  const { namespace, proxy, args: target, objects } = await api.create(decide);
  const all = { "spark.kubernetes.driver.pod.name": "driver", ...settings };
  const args = [...target, "--verbose", ...pushArgs(all)];
  const cwd = jobDirectory();
  const again = () => start("spark-submit", args, { cwd, env: withSpark({}) });
  const program = again();
  const pod = resourcePath(resourceTypes.pod, namespace, "driver");
  return {
    ...{ namespace, program, pod, proxy, again, objects },
    /** Resolves with all objects when the pod exists and owns them. */
    created: () =>
      expect
        .poll(async () => unownedIn(await objects()), { timeout: 60_000 })
        .toEqual([])
        .then(objects),
    gone: () => expect.poll(objects, { timeout: 60_000 }).toEqual([]),
    setStatus: (status: Pod["status"]) => call(api.cluster(), "PATCH", `${pod}/status`, { status }),
  };
}

/** A submission by push. */
export type PushSubmission = Awaited<ReturnType<typeof startPushSubmission>>;

/** Runs the init container of a submission from its objects, as a node would. */
export async function runInitContainer({
  created,
  setStatus,
}: PushSubmission): Promise<Run & { readonly url: string; readonly secretText: string }> {
  const objects = await created();
  const text = Buffer.from(dataOf(objects, "-deps-token", "token"), "base64").toString();
  const [source]: LocalizeSource[] = JSON.parse(dataOf(objects, "-deps-conf", "localize.json")).sources;
  if (source?.kind !== "push") throw new Error("there is nothing to wait for");
  const waiting = localize([{ ...source, port: 0, secretFile: secret(text), ...tlsFilesOf(objects) }]);
  const port = /on port (\d+)\n/.exec(await programOutput(waiting, /on port \d+\n/))?.[1];
  const state = { running: { startedAt: "2026-11-22T00:00:00Z" } };
  await setStatus({ phase: "Pending", initContainerStatuses: [initContainerStatus(state)] });
  return { ...waiting, url: `http://127.0.0.1:${port}`, secretText: text };
}

/** Writes the key and the certificate of the init container, if its Secret has them. */
export function tlsFilesOf(objects: readonly KubeResource[]): Partial<PushSource> {
  const pem = (key: string) => Buffer.from(dataOf(objects, "-deps-token", key), "base64").toString();
  const has = dataOf(objects, "-deps-token", "server.key") !== "undefined";
  return has ? { keyFile: secret(pem("server.key")), certificateFile: secret(pem("server.pem")) } : {};
}

/** Settings of a type of service. */
export const serviceManagerSettings = (type: string) => ({
  "spark.firesteel.staging.push.serviceManagerType": type,
});

/** Returns the status of the init container in a state. */
export function initContainerStatus(state: object) {
  return {
    ...{ name: "firesteel-localize", image: "i", imageID: "", ready: false, restartCount: 0 },
    state,
  };
}

/** Returns objects without an owner, and a placeholder while the pod does not exist. */
function unownedIn(objects: readonly KubeResource[]): readonly string[] {
  if (objects.every(({ kind }) => kind !== "Pod")) return ["no pod"];
  return objects
    .filter(({ kind, metadata }) => kind !== "Pod" && (metadata.ownerReferences ?? []).length === 0)
    .map(({ metadata }) => metadata.name ?? "");
}

export function dataOf(objects: readonly KubeResource[], nameEnd: string, key: string): string {
  const data = objects.find(({ metadata }) => metadata.name?.endsWith(nameEnd) === true)?.["data"];
  const found = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return String(found.find(([name]) => name === key)?.[1]);
}
