import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFiles, readIfThere, sources } from "./sources.ts";

const files = projectFiles();
const projectPaths = files.filter((path) => /^(src|test|scripts|examples)\//.test(path));

describe("names", () => {
  test("no file or directory is named for convenience", () => {
    const vague = /^(utils?|helpers?|common|shared|misc)(\.|$)/;
    expect(projectPaths.filter((path) => path.split("/").some((part) => vague.test(part)))).toEqual([]);
  });

  test("TypeScript and JavaScript files are in kebab case, except the program that Spark calls sparkR", () => {
    const misnamed = projectPaths.filter(
      (path) => /\.(ts|mjs|cjs)$/.test(path) && !/^([a-z0-9]+(-[a-z0-9]+)*(\.\w+)*|sparkR\.ts)$/.test(basename(path)),
    );
    expect(misnamed).toEqual([]);
  });

  test("only names of Spark, Kubernetes and YARN end in Manager, Helper and the like", () => {
    const terms = /^((block|field|cluster)|(open)?resource)Manager$/i;
    const refused =
      /\b(?:function|const|let|class|interface|type)\s+(\w*(?:Manager|Helper|Utils?|Impl|Factory|Bootstrap|Orchestrator|Processor|Handler))\b/g;
    const found = sources().flatMap(({ path, code }) =>
      [...code.matchAll(refused)].filter(([, name = ""]) => !terms.test(name)).map((match) => `${path}: ${match[1]}`),
    );
    expect(found).toEqual([]);
  });
});

describe("the type system", () => {
  test("the only cast is `as const`", () => {
    const found = sources().flatMap(({ path, code }) =>
      code
        .split("\n")
        .filter(
          (line) =>
            /[\w)\]}"]\s+as\s+(?!const\b)/.test(line) &&
            !/^\s*import\b|^\s*export (type )?[{*]|^\s*(type )?\w+ as \w+,?$/.test(line),
        )
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  test("no compiler error is suppressed", () => {
    const found = projectPaths.filter(
      (path) => /\.tsx?$/.test(path) && /@ts-(ignore|nocheck|expect-error)\b/.test(textOf(path)),
    );
    expect(found.filter((path) => path !== "test/architecture/names.test.ts")).toEqual([]);
  });
});

describe("file contents", () => {
  const text = files.filter(
    (path) => !/\.(png|jar|zip|gz|p12)$/.test(path) && !path.startsWith("test/golden/recorded/"),
  );

  test("no path of a developer's machine", () => {
    const machine = /(^|[^\w.}])\/(work\/(main|shared)|root\/|home\/(?!tester\b|me\b|spark\b)[a-z]+\/|Users\/[a-z]+)/m;
    expect(text.filter((path) => machine.test(textOf(path)) && path !== "test/architecture/names.test.ts")).toEqual([]);
  });

  test("the lock file names no registry", () => {
    expect(textOf("package-lock.json")).not.toMatch(/"resolved"/);
  });

  test("no conflict markers and no unfinished work", () => {
    const found = text.filter((path) => /^(<{7}|>{7}) |\b(TODO|FIXME|XXX)\b/m.test(textOf(path)));
    expect(found.filter((path) => path !== "test/architecture/names.test.ts")).toEqual([]);
  });
});

function textOf(path: string): string {
  return readIfThere(path) ?? "";
}
