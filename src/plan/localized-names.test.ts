import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dependencyDirectory, digestOf, localizedCodes, localizedIssues, stagedFiles } from "./test-localized.ts";

describe("files with the same name", () => {
  const two = (key: string, names = "a.jar") => ({
    settings: { [key]: `file:/x/${names},file:/y/${names}` },
  });

  test("are one entry where the content is the same", () => {
    const { localized, properties } = stagedFiles({
      ...two("spark.files"),
      machine: { "/x/a.jar": "1", "/y/a.jar": "1" },
    });
    expect(localized?.entries).toHaveLength(1);
    expect(properties).toEqual({ "spark.files": `${dependencyDirectory}/files/a.jar` });
  });

  test("T72: get a part of the digest if they are jars", () => {
    const machine = { "/x/a.jar": "1", "/y/a.jar": "2" };
    expect(stagedFiles({ ...two("spark.jars"), machine }).properties).toEqual({
      "spark.jars": `${dependencyDirectory}/jars/a.jar,${dependencyDirectory}/jars/a-320000000000.jar`,
    });
  });

  test("get a part of the digest if they are archives, which are unpacked under the original name", () => {
    const machine = { "/x/e.tar.gz": "1", "/y/e.tar.gz": "2" };
    const settings = { "spark.archives": "file:/x/e.tar.gz#x,file:/y/e.tar.gz" };
    expect(stagedFiles({ settings, machine }).properties).toEqual({
      "spark.archives": `${dependencyDirectory}/archives/e.tar.gz#x,${dependencyDirectory}/archives/e-320000000000.tar.gz#e.tar.gz`,
    });
  });

  test.each([
    ["spark.files", "a.txt"],
    ["spark.submit.pyFiles", "a.py"],
    ["spark.archives", "a.zip"],
  ])("are rejected for %s, with both paths", (key, name) => {
    const machine = { [`/x/${name}`]: "1", [`/y/${name}`]: "2" };
    const [found, ...more] = localizedIssues({ ...two(key, name), machine });
    expect(found?.code).toBe("SUBMIT_ERR_STAGING_NAME_CONFLICT");
    expect(found?.message).toMatch(new RegExp(`/x/${name} and /y/${name}`));
    expect(more).toEqual([]);
  });

  test("are rejected across lists, because Spark copies all into one directory", () => {
    const settings = { "spark.files": "file:/x/a.py", "spark.submit.pyFiles": "file:/y/a.py" };
    expect(localizedCodes({ settings, machine: { "/x/a.py": "1", "/y/a.py": "2" } })).toEqual([
      "SUBMIT_ERR_STAGING_NAME_CONFLICT",
    ]);
    expect(localizedCodes({ settings, machine: { "/x/a.py": "1", "/y/a.py": "1" } })).toEqual([]);
  });
});

describe("names that are invalid in a URI or a list", () => {
  test("are changed for jars and archives, and rejected for other files", () => {
    const machine = { "/me/a b.jar": "1", "/me/e ü.tgz": "2" };
    const settings = { "spark.jars": "file:/me/a%20b.jar", "spark.archives": "file:/me/e%20ü.tgz" };
    expect(stagedFiles({ settings, machine }).properties).toEqual({
      "spark.jars": `${dependencyDirectory}/jars/a_b-310000000000.jar`,
      "spark.archives": `${dependencyDirectory}/archives/e__-320000000000.tgz#e%20ü.tgz`,
    });
    expect(localizedCodes({ settings: { "spark.files": "file:/me/a%20b.jar" }, machine })).toEqual([
      "SUBMIT_ERR_STAGING_NAME",
    ]);
  });

  test("every entry of a kind has a unique name, and no content is lost", () => {
    const name = fc.stringMatching(/^[a-c .ü]{1,3}$/).filter((text) => text.trim() === text && !/^\.+$/.test(text));
    const file = fc.record({
      directory: fc.constantFrom("x", "y", "z"),
      name,
      content: fc.constantFrom("1", "2", "3"),
    });
    const list = fc.uniqueArray(file, {
      minLength: 1,
      maxLength: 5,
      selector: (one) => `/${one.directory}/${one.name}`,
    });
    fc.assert(
      fc.property(list, (chosen) => {
        const machine = Object.fromEntries(chosen.map((one) => [`/${one.directory}/${one.name}`, one.content]));
        const jars = Object.keys(machine).map((path) => `file:${encodeURI(path)}`);
        const { localized, properties } = stagedFiles({ settings: { "spark.jars": jars.join(",") }, machine });
        const entries = localized?.entries ?? [];
        const names = entries.map((entry) => entry.name);
        expect(new Set(names).size).toBe(names.length);
        expect(new Set(entries.map(({ digest }) => digest))).toEqual(
          new Set(Object.values(machine).map((content) => digestOf(content))),
        );
        expect(properties["spark.jars"]?.split(",").sort()).toEqual(
          names.map((entry) => `${dependencyDirectory}/jars/${entry}`).sort(),
        );
      }),
    );
  });
});
