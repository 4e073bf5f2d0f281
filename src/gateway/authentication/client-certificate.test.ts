import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { certificateAuthentication, principalOf } from "./client-certificate.ts";

test("the common name is the user, and organizations are groups", () => {
  expect(principalOf({ CN: "alice", O: "team" })).toEqual({ user: "alice", groups: ["team"] });
  expect(principalOf({ CN: "alice", O: ["team", "admins"] })).toEqual({ user: "alice", groups: ["team", "admins"] });
  expect(principalOf({ CN: "alice" })).toEqual({ user: "alice", groups: [] });
});

test.each([[{}], [{ CN: "" }], [{ CN: ["alice", "root"] }]])("%j has no user", (subject) => {
  expect(principalOf(subject)).toBeUndefined();
});

test("a request without a certificate is rejected", async () => {
  const authenticate = certificateAuthentication(undefined);
  expect(await authenticate(request(), "/batches")).toMatchObject({ kind: "rejected", rejection: { status: 401 } });
});

test("a request without a certificate has the other authentication", async () => {
  const other = { kind: "accepted", principal: { user: "bob", groups: [] } } as const;
  const authenticate = certificateAuthentication(async () => other);
  expect(await authenticate(request(), "/batches")).toBe(other);
});

function request(): IncomingMessage {
  return new IncomingMessage(new Socket());
}
