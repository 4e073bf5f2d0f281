import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { expandGlobs } from "./expand-globs.ts";
import { submitterPaths } from "./submitter-paths.ts";

const host = testHost({
  cwd: "/w",
  files: {
    "/w/d/a.zip": "",
    "/w/d/b.jar": "",
    "/w/d/sub/c.jar": "",
    "/w/d/f1.txt": "",
    "/w/d/a b.txt": "",
    "/w/e/a.zip": "",
    "/w/linked.jar": { link: "/w/d/b.jar" },
  },
});

function expanded(list: string): string {
  const result = expandGlobs(list, { files: host.files, paths: submitterPaths(host) });
  return result.ok ? result.value : result.issues.map(({ code, message }) => `${code}: ${message}`).join("\n");
}

describe("expandGlobs", () => {
  test.each([
    ["prints a plain file with three slashes", "d/b.jar", "file:///w/d/b.jar"],
    ["prints a missing file with one slash", "d/none.jar", "file:/w/d/none.jar"],
    [
      "sorts matches, prints them with one slash, and drops directories",
      "d/*",
      "file:/w/d/a%20b.txt,file:/w/d/a.zip,file:/w/d/b.jar,file:/w/d/f1.txt",
    ],
    ["expands a pattern for a directory", "*/*.zip", "file:/w/d/a.zip,file:/w/e/a.zip"],
    ["prints a name below a pattern with three slashes", "*/b.jar", "file:///w/d/b.jar"],
    ["drops a pattern without a match", "none/*.jar,d/b.jar", "file:///w/d/b.jar"],
    ["drops a directory", "d", ""],
    ["keeps a fragment", "d/*.zip#x", "file:/w/d/a.zip#x"],
    ["keeps a missing file with a fragment", "none.txt#b", "file:/w/none.txt#b"],
    [
      "keeps other schemes",
      "http://h/*.jar,local:/b.jar,s3a://b/*.jar,https://h/a?.jar",
      "http://h/*.jar,local:/b.jar,s3a://b/*.jar,https://h/a?.jar",
    ],
    ["does not treat a question mark as a pattern", "d/f?.txt", "file:/w/d/f?.txt"],
    ["expands the pattern of a URI", "file:///w/d/*.jar", "file:/w/d/b.jar"],
    ["follows links", "linked.jar", "file:///w/d/b.jar"],
    ["treats braces as a group", "d/{b}.jar", "file:/w/d/b.jar"],
    ["ignores spaces around items", " d/b.jar , ", "file:///w/d/b.jar"],
  ])("%s", (_rule, list, result) => {
    expect(expanded(list)).toBe(result);
  });

  test.each([
    [
      "*/*.zip#x",
      "SUBMIT_ERR_GLOB_AMBIGUOUS: file:/w/*/*.zip resolves ambiguously to multiple files: file:/w/d/a.zip,file:/w/e/a.zip",
    ],
    ["d/[xy]1", "SUBMIT_ERR_URI_SYNTAX: Illegal character in path at index 10: file:/w/d/[xy]1"],
    [
      "d/{a,b}.txt",
      "SUBMIT_ERR_GLOB_PATTERN: Illegal file pattern: error parsing regexp: Unclosed group at pos 2: `{a`",
    ],
    ["d/a:b.jar", "SUBMIT_ERR_FILE_NAME_COLON: java.net.URISyntaxException: Relative path in absolute URI: a:b.jar"],
    [
      "/w/ local:/b.jar",
      "SUBMIT_ERR_FILE_NAME_COLON: java.net.URISyntaxException: Illegal character in scheme name at index 0:  local:",
    ],
    [
      "/w/local:/b.jar",
      "SUBMIT_ERR_FILE_NAME_COLON: java.net.URISyntaxException: Expected scheme-specific part at index 6: local:",
    ],
  ])("rejects %s", (list, message) => {
    expect(expanded(list)).toBe(message);
  });
});
