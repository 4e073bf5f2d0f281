import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, type Source, sources } from "./sources.ts";

/** Directories that a directory of `src/` may import besides itself and `errors`. Type-only imports count. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  values: [],
  kube: ["values"],
  host: [],
  conf: ["values"],
  cron: ["values"],
  setup: ["conf", "kube", "values"],
  plan: ["conf", "kube", "values"],
  features: ["plan", "conf", "kube", "values"],
  "command-line": ["plan", "conf"],
  spec: ["features", "plan", "kube", "values"],
  diagnosis: ["conf", "kube", "values"],
  explain: ["spec", "features", "plan", "conf", "kube", "values"],
  "spark-application": ["cron", "spec", "features", "plan", "conf", "kube", "values"],
  net: ["host", "values"],
  "kube-client": ["kube", "net", "host", "values"],
  spark: ["net", "host", "values"],
  packages: ["net", "host", "values"],
  python: ["host", "values"],
  images: ["spark", "net", "host", "values"],
  "staging-client": ["net", "host", "values"],
  kerberos: ["net", "host", "values"],
  registry: ["net", "host", "values"],
  hadoop: ["kerberos", "net", "host", "values"],
  s3: ["net", "host", "values"],
  resolve: [
    ...["spec", "plan", "conf", "kube", "kube-client", "hadoop", "kerberos", "staging-client", "net", "host", "values"],
  ],
  masters: [
    ...["resolve", "spec", "diagnosis", "command-line", "plan", "conf", "kube", "kube-client"],
    ...[
      "staging-client",
      "s3",
      "hadoop",
      "kerberos",
      "packages",
      "python",
      "registry",
      "spark",
      "net",
      "host",
      "values",
    ],
  ],
  doctor: [
    ...["masters", "resolve", "explain", "diagnosis", "setup", "plan", "conf"],
    ...["kube-client", "kube", "registry", "net", "host", "values"],
  ],
  applications: [
    ...["masters", "resolve", "spark-application", "cron", "explain", "spec", "plan", "conf"],
    ...["kube-client", "kube", "net", "host", "values"],
  ],
  http: ["host"],
  sdk: [
    ...["resolve", "diagnosis", "spec", "masters", "command-line", "plan", "conf"],
    ...["kube-client", "kube", "spark", "host", "values"],
  ],
  cli: [
    "applications",
    "spark-application",
    "cron",
    "resolve",
    "diagnosis",
    "explain",
    "spec",
    "masters",
    "command-line",
    "plan",
    "conf",
    "kube-client",
    "kube",
    "spark",
    "packages",
    "images",
    "setup",
    "doctor",
    "host",
  ],
  "staging-server": ["staging-client", "s3", "hadoop", "kube-client", "kube", "http", "net", "host", "values"],
  "init-container": ["staging-client", "http", "net", "host", "values"],
  "shuffle-service": ["kube-client", "kube", "http", "host", "values"],
  gateway: [
    ...["masters", "resolve", "spark-application", "cron", "diagnosis", "explain", "spec", "command-line", "plan"],
    ...["conf", "kube-client", "kube", "spark", "http", "net", "host", "values"],
  ],
  "local-cluster": ["cron", "kube", "http", "spark", "net", "host", "values"],
  bin: ["cli", "staging-server", "init-container", "local-cluster", "host"],
};

const programs = ["cli", "gateway", "staging-server", "init-container", "local-cluster", "shuffle-service"];

/** Files of one master; the group is its name. */
const inMaster = /^src\/masters\/([^/]+)\//;

/** Directories that the public API must not import. */
const hiddenFromLibrary = ["bin", "cli"];

const all = sources();
const code = all.filter(({ isTest }) => !isTest);

describe("the one-way rule", () => {
  test("every directory of src/ has a row in the table", () => {
    const directories = new Set(all.map(({ directory }) => directory).filter((directory) => directory !== ""));
    expect([...directories].filter((directory) => !(directory in allowed))).toEqual([]);
  });

  test("the table has no cycles", () => {
    expect(circleIn(new Map(Object.entries(allowed)))).toBeUndefined();
  });

  test("files import only what the table allows", () => {
    expect(code.flatMap((source) => crossings(source).filter(({ reason }) => reason !== undefined))).toEqual([]);
  });

  test("tests import what their directory may, and test support", () => {
    const found = all
      .filter(({ isTest }) => isTest)
      .flatMap((source) => crossings(source))
      .filter(({ reason, to }) => reason !== undefined && !/\/test-[^/]+\.ts$/.test(to));
    expect(found).toEqual([]);
  });

  test("only tests import test support", () => {
    const found = code.flatMap(({ path, imports }) =>
      imports
        .filter((entry) => /\/test-[^/]+\.ts$|\.test\.ts$/.test(entry.path ?? ""))
        .map((entry) => [path, entry.path]),
    );
    expect(found).toEqual([]);
  });

  test("a program in bin starts one program", () => {
    const found = code
      .filter(({ directory }) => directory === "bin")
      .map(({ path, imports }) => [
        path,
        new Set(imports.map(directoryOf).filter((directory) => programs.includes(directory))).size,
      ]);
    expect(found.filter(([, count]) => count !== 1)).toEqual([]);
  });

  test("no import cycles", () => {
    const graph = new Map(
      code.map(({ path, imports }) => [path, imports.flatMap((entry) => (entry.lazy ? [] : (entry.path ?? [])))]),
    );
    expect(circleIn(graph)).toBeUndefined();
  });

  test("no import cycles through `import()` in resolve and masters", () => {
    const graph = new Map(
      code
        .filter(({ directory }) => directory === "resolve" || directory === "masters")
        .map(({ path, imports }) => [path, imports.flatMap((entry) => entry.path ?? [])]),
    );
    expect(circleIn(graph)).toBeUndefined();
  });

  test("the files and subdirectories of every directory import one another in one direction", () => {
    const directories = new Set(code.flatMap(({ path }) => directoriesAbove(path)));
    const found = [...directories].flatMap((directory) => {
      const circle = circleIn(importsBelow(directory));
      return circle === undefined ? [] : [[directory, ...circle]];
    });
    expect(found).toEqual([]);
  });

  test("a master imports another one only by `import()`", () => {
    const found = code.flatMap(({ path, imports }) =>
      imports
        .filter((entry) => {
          const [own, other] = [inMaster.exec(path)?.[1], inMaster.exec(entry.path ?? "")?.[1]];
          return !entry.lazy && own !== undefined && other !== undefined && own !== other;
        })
        .map((entry) => [path, entry.path]),
    );
    expect(found).toEqual([]);
  });

  test("every import names an existing file with its extension", () => {
    const paths = new Set(all.map(({ path }) => path));
    const missing = all.flatMap(({ path, imports }) =>
      imports.filter((entry) => entry.path !== undefined && !paths.has(entry.path)).map((entry) => [path, entry.path]),
    );
    expect(missing).toEqual([]);
  });
});

interface Crossing {
  readonly from: string;
  readonly to: string;
  readonly reason: string | undefined;
}

function crossings(source: Source): readonly Crossing[] {
  return source.imports
    .filter((entry) => entry.path !== undefined)
    .map((entry) => ({ from: source.path, to: entry.path ?? "", reason: objection(source, entry) }));
}

function objection(source: Source, entry: Import): string | undefined {
  const target = directoryOf(entry);
  if (entry.path === "src/index.ts") return "no file imports the library's entry point";
  if (source.directory === "") return hiddenFromLibrary.includes(target) ? `the library hides ${target}` : undefined;
  if (target === source.directory || target === "errors") return undefined;
  if (allowed[source.directory]?.includes(target)) return undefined;
  if (source.directory === "cli" && entry.lazy && programs.includes(target)) return undefined;
  return `${source.directory} may not import ${target}`;
}

function directoryOf({ path }: Import): string {
  return /^src\/([^/]+)\//.exec(path ?? "")?.[1] ?? "";
}

/** Lists the directories of a path below `src/`: `src/a`, `src/a/b` for `src/a/b/c.ts`. */
function directoriesAbove(path: string): readonly string[] {
  const segments = dirname(path).split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 2).join("/"));
}

/** Builds the graph of imports between the files and subdirectories of a directory. */
function importsBelow(directory: string): ReadonlyMap<string, readonly string[]> {
  const entryOf = (path: string) => path.slice(directory.length + 1).split("/")[0] ?? "";
  const isBelow = (path: string) => path.startsWith(`${directory}/`);
  const graph = new Map<string, readonly string[]>();
  for (const { path, imports } of code.filter((source) => isBelow(source.path))) {
    const from = entryOf(path);
    const to = imports.flatMap((entry) => (entry.path !== undefined && isBelow(entry.path) ? entryOf(entry.path) : []));
    graph.set(from, [...(graph.get(from) ?? []), ...to.filter((name) => name !== from)]);
  }
  return graph;
}

/** Returns the names on the first cycle found. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (name: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (finished.has(name)) return undefined;
    for (const next of graph.get(name) ?? []) {
      const circle = visit(next, [...trail, name]);
      if (circle !== undefined) return circle;
    }
    finished.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const circle = visit(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
