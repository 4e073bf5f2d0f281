/** @module-tag long */

import { describe, expect, test } from "vitest";
import { orThrow } from "../errors/submit-error.ts";
import { parseCoordinates } from "./parse-coordinates.ts";
import type { Repository } from "./repository.ts";
import { resolvePackages } from "./resolve-packages.ts";

/** Resolves `g:x:1` with a repository that generates its files from their paths. */
async function resolve(read: (path: string) => string | undefined) {
  const repository: Repository = {
    name: "hostile",
    read: async (path) => {
      const text = read(path);
      return text === undefined ? undefined : Buffer.from(text);
    },
    has: async () => true,
    download: async () => false,
    list: async () => [],
  };
  return resolvePackages({ coordinates: orThrow(parseCoordinates("g:x:1")), exclusions: [] }, [repository]);
}

/** Version in a path such as `g/x/17/x-17.pom`. */
const versionIn = (path: string) => Number(path.split("/")[2]);
const reference = (artifact: string, version: string | number, more = "") =>
  `<groupId>g</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}`;
const dependencies = (...list: readonly string[]) =>
  `<dependencies>${list.map((one) => `<dependency>${one}</dependency>`).join("")}</dependencies>`;
const project = (content: string) => `<project>${content}</project>`;

describe("a repository without end is rejected:", () => {
  test("each POM has another parent", async () => {
    const pom = (path: string) => {
      const version = versionIn(path);
      return project(`${reference("x", version)}<parent>${reference("x", version + 1)}</parent>`);
    };
    expect(await resolve(pom)).toEqual({
      ok: false,
      problems: ["unresolved dependency: g#x;1: g#x;101 is below more than 100 parents or imports"],
    });
  });

  test("each POM imports two others", async () => {
    const imports = "<type>pom</type><scope>import</scope>";
    const pom = (path: string) => {
      const version = versionIn(path);
      const list = [2 * version, 2 * version + 1].map((next) => reference("x", next, imports));
      return project(`${reference("x", version)}<dependencyManagement>${dependencies(...list)}</dependencyManagement>`);
    };
    await expect(resolve(pom)).rejects.toMatchObject({ code: "SUBMIT_ERR_PACKAGE_LIMIT" });
  });

  test("each module needs another one", async () => {
    const pom = (path: string) => {
      const [, artifact = ""] = path.split("/");
      return project(`${reference(artifact, 1)}${dependencies(reference(`${artifact}x`, 1))}`);
    };
    await expect(resolve(pom)).rejects.toMatchObject({ code: "SUBMIT_ERR_PACKAGE_LIMIT" });
  });

  test.each([2100, 40_000])("a module needs %i others", async (count) => {
    const many = dependencies(...Array.from({ length: count }, (_, index) => reference(`d${index}`, 1)));
    const pom = (path: string) =>
      path.startsWith("g/x/")
        ? project(`${reference("x", 1)}${many}`)
        : project(reference(path.split("/")[1] ?? "", 1));
    await expect(resolve(pom)).rejects.toMatchObject({ code: "SUBMIT_ERR_PACKAGE_LIMIT" });
  });
});

describe("a POM is rejected", () => {
  const problemOf = async (text: string) => {
    const resolution = await resolve((path) => (path.startsWith("g/x/") ? text : undefined));
    return resolution.ok ? undefined : resolution.problems.join();
  };

  test("that nests or repeats elements without end", async () => {
    const nested = `${"<a>".repeat(2000)}${"</a>".repeat(2000)}`;
    expect(await problemOf(project(nested))).toContain("the document nests more than 1000 elements");
    expect(await problemOf(project("<a/>".repeat(300_000)))).toContain("the document has more than 200000 elements");
  });

  test("whose properties grow exponentially, or are long", async () => {
    const powers = Array.from(
      { length: 60 },
      (_, index) => `<p${index + 1}>\${p${index}}\${p${index}}</p${index + 1}>`,
    );
    const grown = (first: string, ...more: readonly string[]) =>
      project(
        `${reference("x", 1)}<properties><p0>${first}</p0>${more.join("")}</properties>${dependencies(reference("b", "${p60}"))}`,
      );
    expect(await problemOf(grown("x", ...powers))).toContain("need more than 1000 replacements");
    const long = grown("x".repeat(100_000), "<p60>${p0}${p0}</p60>");
    expect(await problemOf(long)).toContain("have more than 65536 characters");
  });

  test.each(["../../etc", "..", "a/../../b", "a\\..\\b", "x".repeat(300)])(
    "that leads out of the repository: %s",
    async (version) => {
      const text = project(`${reference("x", 1)}${dependencies(reference("b", version))}`);
      await expect(problemOf(text)).rejects.toMatchObject({
        code: "SUBMIT_ERR_PACKAGE_NAME",
        message: expect.stringMatching(/^.{1,250}$/),
      });
    },
  );
});
