import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { readKubeconfig } from "./kubeconfig.ts";

/** A small kubeconfig: names to what they name. */
interface Small {
  readonly current: string | undefined;
  readonly contexts: Readonly<Record<string, { readonly cluster: string; readonly user: string }>>;
  readonly clusters: readonly string[];
  readonly users: readonly string[];
}

const name = fc.constantFrom("a", "b", "c");
const small: fc.Arbitrary<Small> = fc.record({
  current: fc.option(name, { nil: undefined }),
  contexts: fc.dictionary(name, fc.record({ cluster: name, user: name })),
  clusters: fc.uniqueArray(name),
  users: fc.uniqueArray(name),
});

/** As text; each cluster and user says which file it is of. */
function print({ current, contexts, clusters, users }: Small, file: number): string {
  return JSON.stringify({
    ...(current === undefined ? {} : { "current-context": current }),
    contexts: Object.entries(contexts).map(([key, context]) => ({ name: key, context })),
    clusters: clusters.map((key) => ({ name: key, cluster: { "proxy-url": `${key}${file}` } })),
    users: users.map((key) => ({ name: key, user: { token: `${key}${file}` } })),
  });
}

/** Merges several files as kubectl does: the first file that defines a name determines it. */
function merge(files: readonly Small[]) {
  const contexts = new Map<string, { readonly cluster: string; readonly user: string }>();
  const clusters = new Map<string, string>();
  const users = new Map<string, string>();
  for (const [file, { contexts: own, ...rest }] of [...files.entries()].reverse()) {
    for (const [key, context] of Object.entries(own)) contexts.set(key, context);
    for (const key of rest.clusters) clusters.set(key, `${key}${file}`);
    for (const key of rest.users) users.set(key, `${key}${file}`);
  }
  return { current: files.find(({ current }) => current !== undefined)?.current, contexts, clusters, users };
}

function read(files: readonly Small[], context: string | undefined, rules: "kubectl" | "spark") {
  const host = testHost({
    env: { KUBECONFIG: ["/missing", ...files.map((_, index) => `/f${index}`), ""].join(":") },
    files: Object.fromEntries(files.map((file, index) => [`/f${index}`, print(file, index)])),
  });
  const options = { context, rules, mergesFiles: true, unknownContextFallsBack: true, log: () => {} };
  return readKubeconfig(host, options).then(
    (found) => found?.account ?? "no kubeconfig",
    () => "refused",
  );
}

describe("several kubeconfigs", () => {
  test("are merged as in kubectl, and a missing part is rejected", { tags: "long" }, async () => {
    const files = fc.array(small, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(files, fc.option(name, { nil: undefined }), async (contents, override) => {
        const { current, contexts, clusters, users } = merge(contents);
        const expected = override ?? current;
        const account = await read(contents, override, "kubectl");
        const context = contexts.get(expected ?? "");
        if (expected === undefined) expect(account).toEqual({});
        else if (context === undefined || !clusters.has(context.cluster) || !users.has(context.user)) {
          expect(account).toBe("refused");
        } else {
          expect(account).toMatchObject({
            token: users.get(context.user),
            proxy: clusters.get(context.cluster),
          });
        }
      }),
    );
  });

  test("are never rejected with Spark's behavior", { tags: "long" }, async () => {
    const files = fc.array(small, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(files, fc.option(name, { nil: undefined }), async (contents, override) => {
        const { contexts, users } = merge(contents);
        const preferred = [override, ...contents.map(({ current }) => current)];
        const context = preferred.map((key) => contexts.get(key ?? "")).find((found) => found !== undefined);
        const account = await read(contents, override, "spark");
        expect(account).toMatchObject(context === undefined ? {} : { namespace: undefined });
        const token = typeof account === "string" ? account : account.token;
        expect(token).toBe(context === undefined ? undefined : users.get(context.user));
      }),
    );
  });
});

test.each(["*s3cret", "!s3cret x", '"s3cret', "{s3cret", "@s3cret"])(
  "does not report a value that YAML reads as another type: %s",
  async (value) => {
    const host = testHost({ env: { KUBECONFIG: "/k" }, files: { "/k": `users: ${value}` } });
    const options = {
      rules: "kubectl" as const,
      mergesFiles: true,
      unknownContextFallsBack: true,
      log: () => {},
    };
    await expect(readKubeconfig(host, options)).rejects.toMatchObject({
      code: "SUBMIT_ERR_KUBE_CONFIG",
      message: expect.not.stringContaining("s3cret"),
    });
  },
);

test("a kubeconfig of more than 16 MiB is rejected unread (SUBMIT_ERR_KUBE_CONFIG)", () => {
  const host = testHost({ files: { "/large": new Uint8Array(16 * 1024 * 1024 + 1) }, env: { KUBECONFIG: "/large" } });
  return expect(
    readKubeconfig(host, { rules: "kubectl", mergesFiles: true, unknownContextFallsBack: false, log: () => {} }),
  ).rejects.toThrow("Cannot use the kubeconfig /large: it has 16777217 bytes; the maximum is 16777216");
});

test("a directory is rejected and a server name applied, but both are ignored with Spark's behavior", async () => {
  const named = JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k" } }],
    clusters: [{ name: "k", cluster: { "tls-server-name": "inside" } }],
  });
  const host = testHost({ env: { KUBECONFIG: "/d:/k" }, files: { "/d/x": "", "/k": named } });
  const options = { mergesFiles: true, unknownContextFallsBack: true, log: () => {} };
  const asSpark = await readKubeconfig(host, { ...options, rules: "spark" });
  expect(asSpark?.cluster?.name).toBe("k");
  expect(asSpark?.account.serverName).toBeUndefined();
  const onlyFile = testHost({ env: { KUBECONFIG: "/k" }, files: { "/k": named } });
  const result = await readKubeconfig(onlyFile, { ...options, rules: "kubectl" });
  expect(result?.account.serverName).toBe("inside");
});

test("any text is a kubeconfig or rejected by its path, without its secrets", { tags: "long" }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string({ minLength: 1 }), async (before, after) => {
      const text = `${before}\ntoken: s3cret-value ${after}`;
      const host = testHost({ env: { KUBECONFIG: "/k" }, files: { "/k": text } });
      const options = {
        rules: "kubectl" as const,
        mergesFiles: true,
        unknownContextFallsBack: true,
        log: () => {},
      };
      const error: unknown = await readKubeconfig(host, options).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) return;
      expect(error).toMatchObject({ message: expect.stringContaining("Cannot use the kubeconfig /k") });
      expect(String(error)).not.toContain("s3cret-value");
    }),
  );
});
