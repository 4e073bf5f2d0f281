import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entryKinds, isEntryName } from "../staging-client/bundle.ts";
import { parseLocalizeConfig } from "./parse-config.ts";

const digest = `sha256:${"0a".repeat(32)}` as const;

const complete = {
  directory: "/opt/spark-deps",
  parallel: 3,
  timeoutSeconds: 60,
  sources: [
    { kind: "bundle", server: "https://staging/x", bundleId: "b", tokenFile: "/t", authorityFile: "/ca" },
    {
      kind: "remote",
      urlsFile: "/u",
      entries: [
        { kind: "file", name: "a", digest, size: 1, executable: true },
        { kind: "archive", name: "b" },
      ],
      authorityFile: "/ca",
    },
    {
      kind: "push",
      port: 7077,
      secretFile: "/s",
      entries: [{ kind: "pyfile", name: "c", digest, size: 0, executable: false }],
      clientTimeoutSeconds: 10,
      basePath: "/jobs/app",
      keyFile: "/key",
      certificateFile: "/cert",
    },
  ],
};

test("parses a configuration with all keys", () => {
  expect(parseLocalizeConfig(JSON.stringify(complete))).toEqual({ config: complete });
});

test("reports all problems together, each with its key", () => {
  const wrong = {
    directory: "relative",
    parallel: 0,
    sources: [
      { kind: "bundle", server: "ftp://x", bundleId: "", tokenfile: "/t" },
      { kind: "remote", entries: [{ kind: "jar", name: "../a", uri: "http://h/a", digest: "md5:1" }] },
      { kind: "pull" },
      7,
    ],
  };
  expect(parseLocalizeConfig(JSON.stringify(wrong)).problems).toEqual([
    "directory must be an absolute path",
    "sources[0].server must be an http or https URL",
    "sources[0].bundleId must be a text",
    "sources[0].tokenFile is missing",
    "sources[0].tokenfile is unknown",
    "sources[1].urlsFile is missing",
    "sources[1].entries[0].name must be at most 255 of the characters A-Z a-z 0-9 . _ -",
    "sources[1].entries[0].digest must be sha256: and 64 hex digits",
    "sources[1].entries[0].uri is unknown",
    "sources[2].kind must be one of bundle, remote, push",
    "sources[3] must be an object",
    "parallel must be a whole number from 1",
  ]);
});

describe("any text", () => {
  test("is a valid configuration or has problems, and never throws", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((sources) => JSON.stringify({ ...complete, sources })),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { config, problems = [] } = parseLocalizeConfig(text);
        expect(config === undefined).toBe(problems.length > 0);
      }),
    );
  });

  test("is invalid if an entry name is not a safe base name", () => {
    const entry = fc.record({
      kind: fc.constantFrom(...entryKinds),
      name: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const text = JSON.stringify({ ...complete, sources: [{ kind: "remote", urlsFile: "/u", entries }] });
        expect(parseLocalizeConfig(text).config !== undefined).toBe(entries.every(({ name }) => isEntryName(name)));
      }),
    );
  });
});
