import fc from "fast-check";
import { dump } from "js-yaml";
import { describe, expect, test } from "vitest";
import { hasCode } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { parseKubeconfig } from "./kubeconfig-file.ts";

const scalar = fc.oneof(
  fc.constantFrom("", "a", "b", "__proto__", "constructor", "https://10.0.0.1:6443", "%zz", "123", "true"),
  fc.string(),
);
const keys = [
  ...["name", "context", "cluster", "user", "server", "token", "tokenFile", "namespace", "proxy-url", "exec"],
  ...["certificate-authority-data", "client-key", "insecure-skip-tls-verify", "as", "auth-provider", "extensions"],
];
const { part } = fc.letrec((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.constantFrom(null, true, 12),
    fc.array(tie("part"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...keys), tie("part"), { maxKeys: 4 }),
  ),
}));

/** A list as a kubeconfig has it, more or less. */
function list(key: string) {
  const item = fc.record({ name: scalar, [key]: part }, { requiredKeys: [] });
  return fc.oneof({ weight: 5, arbitrary: fc.array(item, { maxLength: 3 }) }, part);
}

const kubeconfig = fc.record(
  {
    "current-context": scalar,
    contexts: list("context"),
    clusters: list("cluster"),
    users: list("user"),
    preferences: part,
  },
  { requiredKeys: [] },
);

/** Returns whether a call succeeds or fails with one of the documented errors. */
async function isReportedWell(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    return hasCode(error, "SUBMIT_ERR_KUBE_CONFIG") || hasCode(error, "SUBMIT_ERR_KUBE_CONTEXT");
  }
}

describe("a kubeconfig", () => {
  test("of any content is parsed or rejected", { tags: "long" }, async () => {
    const options = fc.record({
      mergesFiles: fc.boolean(),
      rules: fc.constantFrom("kubectl" as const, "spark" as const),
      unknownContextFallsBack: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(kubeconfig, options, fc.boolean(), async (content, value, isJson) => {
        const text = isJson ? JSON.stringify(content) : dump(content);
        const host = testHost({ files: { "/k": text }, env: { KUBECONFIG: "/k" } });
        expect(await isReportedWell(() => readKubeconfig(host, { ...value, log: () => {} }))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("of any text is parsed or rejected, without an excerpt", { tags: "long" }, async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc
        .array(
          fc.constantFrom("a: ", "- ", "\n", "  ", "{", "]", "'", '"', "|", "&x", "*x", "<<: ", "\t", "#", "---\n"),
        )
        .map((pieces) => pieces.join("")),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect(await isReportedWell(() => parseKubeconfig("/k", value))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("is parsed identically from YAML and JSON", { tags: "long" }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(scalar, scalar, scalar), { maxLength: 3 }), async (items) => {
        const users = items.map(([name, token, other]) => ({ name, user: { token, "x-other": other } }));
        const found = async (text: string) =>
          (await parseKubeconfig("/k", text)).users.map((user) => [
            user.name,
            user.text("token"),
            user.text("x-other"),
          ]);
        expect(await found(dump({ users }))).toEqual(items);
        expect(await found(JSON.stringify({ users }))).toEqual(items);
      }),
    );
  });
});
