import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeResource } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, createNamespace, startApi } from "./embedded-api.ts";

/** A YAML document of a page. */
interface YamlDocument {
  readonly page: string;
  readonly content: unknown;
}

/** Parses all blocks of YAML of the pages. */
function documents(): readonly YamlDocument[] {
  const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((path) =>
    path.endsWith(".md"),
  );
  return pages.flatMap((page) => {
    const blocks = readFileSync(page, "utf8").matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm);
    return [...blocks].flatMap(([, indent = "", text = ""]) =>
      loadAll(text.replaceAll(new RegExp(`^${indent}`, "gm"), "")).map((content) => ({ page, content })),
    );
  });
}

/** Whether a document is an object of the API: a kubeconfig, for example, has no metadata. */
function isObject(content: unknown): content is KubeResource {
  return typeof content === "object" && content !== null && "kind" in content && "metadata" in content;
}

/** Ends of the groups whose definitions are the operators'. */
const operators = ["sparkoperator.k8s.io", "volcano.sh", "kueue.x-k8s.io"];

function isOperators({ apiVersion = "" }: KubeResource): boolean {
  return operators.some((group) => apiVersion.includes(`${group}/`));
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

async function collectionPath(
  api: EmbeddedCluster,
  { apiVersion = "", kind, metadata }: KubeResource,
): Promise<string> {
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = await call<ResourceList>(api, "GET", group);
  const type = resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
  if (type === undefined) throw new Error(`The embedded API does not serve ${kind}.`);
  return type.namespaced
    ? `${group}/namespaces/${metadata.namespace ?? "default"}/${type.name}`
    : `${group}/${type.name}`;
}

const all = documents();
const objects = all.flatMap(({ page, content }) =>
  isObject(content) && !isOperators(content) ? [{ page, object: content }] : [],
);
const directory = mkdtempSync(join(tmpdir(), "firesteel-documents-"));
let api: EmbeddedCluster;

beforeAll(async () => {
  api = await startApi(directory);
  const namespaces = new Set(objects.flatMap(({ object }) => object.metadata.namespace ?? []));
  for (const name of namespaces) if (name !== "default") await createNamespace(api, name);
});

afterAll(async () => {
  await api.stop();
  rmSync(directory, { recursive: true, force: true });
});

test.each(objects.map(({ page, object }) => [page, object.kind, object.metadata.name, object] as const))(
  "%s: the API accepts the %s %s without unknown fields",
  async (_page, _kind, name, object) => {
    const path = await collectionPath(api, object);
    const created = await call(api, "POST", `${path}?dryRun=All&fieldValidation=Strict`, object);
    expect(created.metadata.name).toBe(name);
  },
);

test("the values of the chart on the pages exist", () => {
  const known = readFileSync("docs/helm-chart-values.md", "utf8");
  const values = all.flatMap(({ page, content }) =>
    isValues(content) ? leavesOf(content, known).map((path) => ({ page, path })) : [],
  );
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter(({ path }) => !known.includes(`| \`${path}\` |`))).toEqual([]);
});

function isValues(content: unknown): content is Readonly<Record<string, unknown>> {
  return typeof content === "object" && content !== null && "stagingServer" in content;
}

/** Lists the paths of all values, down to those that the page of the chart's values has. */
function leavesOf(values: Readonly<Record<string, unknown>>, known: string, above = ""): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = `${above}${key}`;
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMap && !known.includes(`| \`${path}\` |`) ? leavesOf({ ...value }, known, `${path}.`) : [path];
  });
}
