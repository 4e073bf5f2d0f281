import { expect, test } from "vitest";
import { parseCoordinates, parseExclusions } from "./parse-coordinates.ts";

const messages = (result: ReturnType<typeof parseCoordinates> | ReturnType<typeof parseExclusions>) =>
  result.ok ? [] : result.issues.map(({ message }) => message);

test("coordinates have colons or slashes, and commas between them; a range of one version is that version", () => {
  expect(parseCoordinates("g:a:1,h/b/[2]")).toEqual({
    ok: true,
    value: [
      { group: "g", artifact: "a", version: "1" },
      { group: "h", artifact: "b", version: "2" },
    ],
  });
});

test("all invalid ones are reported, in Spark's wording", () => {
  expect(messages(parseCoordinates("foo:bar,g: :1,,g:a:1:x"))).toEqual([
    "requirement failed: Provided Maven Coordinates must be in the form 'groupId:artifactId:version'. The coordinate provided is: foo:bar",
    "requirement failed: The artifactId cannot be null or be whitespace. The artifactId provided is:  ",
    "requirement failed: Provided Maven Coordinates must be in the form 'groupId:artifactId:version'. The coordinate provided is: ",
    "requirement failed: Provided Maven Coordinates must be in the form 'groupId:artifactId:version'. The coordinate provided is: g:a:1:x",
  ]);
});

test("exclusions name groups and artifacts", () => {
  expect(parseExclusions("g:a, *:b ,")).toMatchObject({
    value: [
      { group: "g", artifact: "a" },
      { group: "*", artifact: "b" },
    ],
  });
  expect(messages(parseExclusions("g,g:a:1"))).toEqual([
    'Invalid package exclusion "g": it does not have the form groupId:artifactId.',
    'Invalid package exclusion "g:a:1": it does not have the form groupId:artifactId.',
  ]);
});

test("what is wrong has a code", () => {
  expect(parseCoordinates("g,g::1")).toMatchObject({
    issues: [{ code: "SUBMIT_ERR_PACKAGE_COORDINATE" }, { code: "SUBMIT_ERR_PACKAGE_PART_BLANK" }],
  });
  expect(parseExclusions("g")).toMatchObject({ issues: [{ code: "SUBMIT_ERR_PACKAGE_EXCLUSION" }] });
});
