import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { newIdentity, readIdentity, writeIdentity } from "./cluster-identity.ts";

const path = "/cluster/identity.json";

/** Text of a file with a new identity. */
function identityText(): string {
  const host = testHost({ files: { "/cluster": null } });
  writeIdentity(host, path, { ...newIdentity(host), listening: { address: "127.0.0.9", port: 6443 } });
  return host.files.readText(path) ?? "";
}

test("an identity is read as it was written, and a missing one is created", () => {
  const text = identityText();
  const { identity, notices } = readIdentity(testHost({ files: { [path]: text } }), path, { repairs: false });
  expect(JSON.parse(text)).toMatchObject({ token: identity.token, listening: identity.listening });
  expect(notices).toEqual([]);
  const created = readIdentity(testHost(), path, { repairs: false }).identity;
  expect(created.authority.certificatePem).not.toBe(identity.authority.certificatePem);
});

const text = identityText();
test.each([
  ["empty", ""],
  ["cut", text.slice(0, text.length / 2)],
  ["of another type", "[1]"],
  ["without a token", text.replace('"token"', '"other"')],
  ["with an invalid key", text.replaceAll(/-----BEGIN PRIVATE KEY-----\\n..../g, "-----BEGIN PRIVATE KEY-----\\nAAAA")],
  [
    "with an invalid certificate",
    text.replace(/-----BEGIN CERTIFICATE-----\\n..../, "-----BEGIN CERTIFICATE-----\\nAAAA"),
  ],
])("a file that is %s stops the start, and a repair replaces it", (_, content) => {
  const host = testHost({ files: { [path]: content } });
  expect(() => readIdentity(host, path, { repairs: false })).toThrow(
    expect.objectContaining({
      code: "SUBMIT_ERR_CLUSTER_STATE",
      message: expect.stringMatching(`^Cannot read the state of the cluster in ${path} at byte 0: `),
    }),
  );
  expect(host.files.readText(path)).toBe(content);
  const { notices } = readIdentity(host, path, { repairs: true });
  expect(notices).toEqual([expect.stringContaining(`${path}.damaged: the cluster has new certificates and tokens`)]);
  expect(host.files.readText(`${path}.damaged`)).toBe(content);
});
