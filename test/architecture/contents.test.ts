import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles, root } from "./sources.ts";

/** Contents that no file may have, with the files that may and the reason. */
const forbidden: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly exceptions?: Readonly<Record<string, string>>;
}[] = [
  {
    what: "a host of a package registry: users configure their own, and lock files must not bind them to one",
    pattern:
      /\b(?:repo1?\.maven\.(?:apache\.)?org|(?:repo|repository)\.apache\.org|repos\.spark-packages\.org|registry\.(?:npmjs\.org|yarnpkg\.com)|(?:test\.)?pypi\.org|files\.pythonhosted\.org|(?:static|index)\.crates\.io|proxy\.golang\.org|deb\.debian\.org)\b/i,
    exceptions: {
      "src/packages/repositories.ts": "Spark's default repositories for --packages",
    },
  },
  {
    what: "a private key",
    pattern: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*[A-Za-z0-9+/]/,
    exceptions: {
      "src/kube-client/test-certificate.ts": "the key of a certificate for tests, valid only for test names",
    },
  },
  {
    what: "credentials of a cloud or a code host",
    pattern:
      /\b(?:AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|github_pat_\w{50,}|xox[abpr]-[0-9A-Za-z-]{20,}|AIza[\w-]{35})\b/,
    exceptions: { "src/diagnosis/without-secrets.test.ts": "made-up keys that a diagnosis must not show" },
  },
  {
    what: "a token that is signed and not expired",
    pattern: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/,
  },
  { what: "a home directory of a machine", pattern: /(?<![\w.])\/(?:root|Users)\/(?!\.)[\w.-]+\// },
];

const texts = projectFiles().flatMap((path) => {
  try {
    return [{ path, text: readFileSync(join(root, path), "utf8") }];
  } catch {
    return [];
  }
});

test.each(forbidden)("no file contains $what", ({ pattern, exceptions = {} }) => {
  const found = texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(found.filter((path) => !(path in exceptions))).toEqual([]);
  expect(Object.keys(exceptions).filter((path) => !found.includes(path))).toEqual([]);
});

test("no file is binary or larger than 512 KiB", () => {
  const found = texts.filter(({ text }) => text.includes("\0") || Buffer.byteLength(text) > 512 * 1024);
  expect(found.map(({ path }) => path)).toEqual([]);
});
