import fc from "fast-check";
import { FAILSAFE_SCHEMA, load, mergeTag, nullCoreTag } from "js-yaml";
import { expect, test } from "vitest";
import { readPlainYaml } from "./plain-yaml.ts";

const written = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://10.0.0.1:6443
  name: one
# by hand
users:
  - name: u
    user:
      exec:
        args:
        - --region
        - "a b"
        env: null
        installHint: ask us: really
`;

/** Whether the whole reader finds the same. */
function isAgreed(text: string): boolean {
  const found = readPlainYaml(text);
  if (found === undefined) return true;
  expect(found).toEqual(load(text, { schema: FAILSAFE_SCHEMA.withTags(mergeTag, nullCoreTag) }));
  return true;
}

test("parses a kubeconfig as tools write it", () => {
  const text = written.replace("ask us: really", "'ask us: really'\n      token:\npreferences: {}");
  expect(readPlainYaml(text)).toEqual({
    apiVersion: "v1",
    clusters: [
      {
        cluster: { "certificate-authority-data": "Q0E=", server: "https://10.0.0.1:6443" },
        name: "one",
      },
    ],
    users: [
      {
        name: "u",
        user: {
          exec: { args: ["--region", "a b"], env: null, installHint: "ask us: really" },
          token: null,
        },
      },
    ],
    preferences: {},
  });
  expect(isAgreed(text)).toBe(true);
});

test.each([
  ["text that is not YAML", written],
  ["a flow mapping", "a: {b: c}"],
  ["a text of several lines", "a: b\n  c"],
  ["a block text", "a: |\n  b"],
  ["an anchor", "a: &b c"],
  ["a comment behind a text", "a: b # c"],
  ["an escape", 'a: "\\n"'],
  ["a key twice", "a: b\na: c"],
  ["a tabulator", "a:\tb"],
  ["several documents", "a: b\n---\na: c"],
  ["a list of lists", "a:\n- - b"],
  ["no mapping", "- a"],
])("leaves %s to the complete parser", (_, text) => {
  expect(readPlainYaml(text)).toBeUndefined();
});

test("parses every text as the complete parser does, or not at all", { tags: "long" }, () => {
  const token = fc.constantFrom(
    ...["a", "b", "null", "~", "-", "- ", "--", ":", ": ", " ", "  ", "    ", "\n", "\n", "\n  ", "\n- "],
    ...["#", " #", '"', "'", "{}", "[]", "{", "]", ",", "&", "*", "!", "|", ">", "%", "@", "?", "=", "."],
    ...["---", "...", "<<", "0x1", "1.0", "+", "\\", "/", "a: b\n", "- a: b\n", "k:\n", "  k:\n", "- x\n"],
  );
  const text = fc.array(token, { maxLength: 14 }).map((tokens) => tokens.join(""));
  fc.assert(fc.property(text, isAgreed), { numRuns: 5000 });
});
