import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KubeResource } from "../../src/kube/types.ts";
import { apiNamespaces } from "../acceptance/api-namespaces.ts";
import { call } from "../acceptance/embedded-api.ts";
import type { RequestOutcome } from "../acceptance/fault-proxy.ts";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import {
  type PushSubmission,
  runInitContainer,
  serviceManagerSettings,
  startPushSubmission,
} from "./push-submission.ts";

/** Writes the module of the page on feature steps. Returns its path. */
function documentedModule(): string {
  const page = readFileSync(join(root, "docs", "feature-steps.md"), "utf8");
  const [, code = ""] = /```js\n(\/\/ assigned-ingress\.mjs\n[\s\S]*?)```/.exec(page) ?? [];
  const path = join(temporaryDirectory(), "assigned-ingress.mjs");
  writeFileSync(path, code);
  return path;
}

/** Writes a module whose step has these methods. Returns its path. */
function stepModule(methods: string): string {
  const path = join(temporaryDirectory(), "own-route.mjs");
  writeFileSync(path, `export const step = { ${methods} };\n`);
  return path;
}

const settingsFor = (modules: string) => ({
  ...serviceManagerSettings("FeatureStep"),
  "spark.firesteel.featureSteps": modules,
});

describe("files that are pushed to the URL of a feature step", () => {
  const api = apiNamespaces("own-route");

  /** Responds as an Ingress controller: with the address of a server that passes requests on. */
  async function assignAddress({ namespace }: PushSubmission, url: string): Promise<KubeResource> {
    const ingresses = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`;
    const [ingress] = (await call<{ items: KubeResource[] }>(api.cluster(), "GET", ingresses)).items;
    if (ingress === undefined) throw new Error("there is no Ingress");
    const { hostname: ip, port } = new URL(url);
    const address = { ip, ports: [{ port: Number(port), protocol: "TCP" }] };
    const status = { loadBalancer: { ingress: [address] } };
    await call(api.cluster(), "PATCH", `${ingresses}/${ingress.metadata.name}/status`, { status });
    return ingress;
  }

  test("go to the address that the Ingress of the documented module gets", async () => {
    const submitted = await startPushSubmission(api, {
      ...settingsFor(documentedModule()),
      "spark.example.ingressClass": "public",
      "spark.example.ingressScheme": "http",
    });
    const { url, program: init } = await runInitContainer(submitted);
    const ingress = await assignAddress(submitted, url);
    expect(ingress).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Pod" }] },
      spec: { ingressClassName: "public" },
    });
    const { exit, stderr } = await submitted.program.ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(`by ${url}/${submitted.namespace}/`);
    expect((await init.ended).exit).toBe(0);
  });

  test.each([
    [
      "throws",
      'pushUrl() { throw new Error("no route is free"); }',
      "The feature step own-route failed in pushUrl: no route is free",
    ],
    [
      "returns a URL of another scheme",
      'pushUrl: () => "ftp://ann:hunter2@h/x"',
      "The feature step own-route returned an invalid result from pushUrl: it is ftp://h/x, not an http or https URL",
    ],
    ["returns a number", "pushUrl: () => 7077", "it is a number, not an http or https URL"],
    [
      "returns no URL",
      "pushUrl: async (conf, read) => (await read({ apiVersion: 'v1', kind: 'Secret', name: 'none' }))?.data.url",
      "cannot be reached by FeatureStep: pushUrl of the feature step own-route returned no URL within 2 s",
    ],
    [
      "does not return",
      "pushUrl: () => new Promise(() => {})",
      "cannot be reached by FeatureStep: pushUrl of the feature step own-route returned no URL within 2 s",
    ],
  ])("fail if the module %s, and leave no objects", async (_, methods, message) => {
    const timeout = { "spark.firesteel.staging.push.timeout": "2s" };
    const submitted = await startPushSubmission(api, { ...settingsFor(stepModule(methods)), ...timeout });
    await runInitContainer(submitted);
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("hunter2");
    expect(stderr.match(/Error:/g)).toHaveLength(1);
    await submitted.gone();
  });

  test("fail with the API's reason if the module's object cannot be read", async () => {
    const forbidden = 'ingresses "files" is forbidden: User "ann" cannot get resource "ingresses"';
    const denied: RequestOutcome = { status: 403, reason: "Forbidden", message: forbidden };
    const isRead = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === "GET" && path.includes("/ingresses/");
    const submitted = await startPushSubmission(api, settingsFor(documentedModule()), (visit) =>
      isRead(visit) ? denied : "pass",
    );
    await runInitContainer(submitted);
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain(forbidden);
    expect(stderr.match(/Error:/g)).toHaveLength(1);
    await submitted.gone();
  });

  test.each([
    [
      "none",
      () => stepModule("contribute: () => ({})"),
      "is FeatureStep, but no module of spark.firesteel.featureSteps has",
    ],
    [
      "two",
      () => `${documentedModule()},${stepModule("pushUrl() {}")}`,
      "have the method pushUrl: assigned-ingress, own-route.",
    ],
  ])("are rejected before anything is created if %s of the modules has the method", async (_, modules, message) => {
    const submitted = await startPushSubmission(api, settingsFor(modules()));
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain(message);
    expect(await submitted.objects()).toEqual([]);
  });
});
