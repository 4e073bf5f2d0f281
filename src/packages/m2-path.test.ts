import { describe, expect, test } from "vitest";
import { artifactPath, metadataPath, pomPath, retrievedName } from "./m2-path.ts";

const id = { group: "org.example", artifact: "app_2.13", version: "1.0" };
const jar = { name: "app_2.13", type: "jar", extension: "jar", classifier: undefined };

test("a Maven repository has its files at the paths of their coordinates", () => {
  expect(pomPath(id)).toBe("org/example/app_2.13/1.0/app_2.13-1.0.pom");
  expect(artifactPath(id, { ...jar, classifier: "tests" })).toBe("org/example/app_2.13/1.0/app_2.13-1.0-tests.jar");
  expect(metadataPath(id)).toBe("org/example/app_2.13/maven-metadata.xml");
  expect(retrievedName(id, jar)).toBe("org.example_app_2.13-1.0.jar");
});

describe("a name that leaves the directory is rejected (SUBMIT_ERR_PACKAGE_NAME)", () => {
  const wrong = ["../../etc/cron.d/x", "..", ".", "a/b", "a\\b", "a\0b"];

  test.each(wrong)("%j is refused as artifact and as version", (name) => {
    for (const part of ["artifact", "version"]) {
      expect(() => pomPath({ ...id, [part]: name })).toThrow("cannot be part of a file name");
      expect(() => artifactPath({ ...id, [part]: name }, jar)).toThrow("cannot be part of a file name");
    }
    expect(() => metadataPath({ ...id, artifact: name })).toThrow("cannot be part of a file name");
  });

  test.each(["../../x", "a/b"])("%j is refused in the name of a file", (name) => {
    for (const part of ["name", "extension", "classifier"]) {
      expect(() => artifactPath(id, { ...jar, [part]: name })).toThrow("cannot be part of a file name");
      expect(() => retrievedName(id, { ...jar, [part]: name })).toThrow("cannot be part of a file name");
    }
    expect(() => retrievedName({ ...id, group: name }, jar)).toThrow("cannot be part of a file name");
    expect(() => retrievedName({ ...id, version: name }, jar)).toThrow("cannot be part of a file name");
  });
});
