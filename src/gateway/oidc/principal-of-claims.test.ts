import { expect, test } from "vitest";
import { principalOfClaims } from "./principal-of-claims.ts";

const settings = { usernameClaim: "sub", usernamePrefix: "", groupsClaim: "groups", groupsPrefix: "" };
const user = (name: string, groups: readonly string[] = []) => ({ ok: true, principal: { user: name, groups } });

test("claims name the user and the groups, with prefixes", () => {
  const claims = { sub: "alice", groups: ["team", "admins"] };
  expect(principalOfClaims(settings, claims)).toEqual(user("alice", ["team", "admins"]));
  const prefixed = { ...settings, usernamePrefix: "idp:", groupsPrefix: "idp:" };
  expect(principalOfClaims(prefixed, { sub: "alice", groups: "team" })).toEqual(user("idp:alice", ["idp:team"]));
  expect(principalOfClaims({ ...settings, groupsClaim: undefined }, claims)).toEqual(user("alice"));
  expect(principalOfClaims(settings, { sub: "alice" })).toEqual(user("alice"));
});

test("names of the system are neither users nor groups, unless a prefix makes others of them", () => {
  expect(principalOfClaims(settings, { sub: "system:admin" })).toMatchObject({ ok: false });
  const claims = { sub: "alice", groups: ["system:masters", "team"] };
  expect(principalOfClaims(settings, claims)).toEqual(user("alice", ["team"]));
  expect(principalOfClaims({ ...settings, groupsPrefix: "idp:" }, claims)).toMatchObject({
    ...{ principal: { groups: ["idp:system:masters", "idp:team"] } },
  });
});

test.each([
  [{}, "the token has no text in the claim sub"],
  [{ sub: "" }, "the token has no text in the claim sub"],
  [{ sub: ["alice"] }, "the token has no text in the claim sub"],
  [{ sub: "alice", groups: [1] }, "the claim groups is not a list of texts"],
  [{ sub: "alice", groups: { team: true } }, "the claim groups is not a list of texts"],
])("%j is rejected", (claims, reason) => {
  expect(principalOfClaims(settings, claims)).toEqual({ ok: false, reason });
});

test("an e-mail address that the issuer has not verified is not a user", () => {
  const byEmail = { ...settings, usernameClaim: "email" };
  expect(principalOfClaims(byEmail, { email: "a@b.c" })).toEqual(user("a@b.c"));
  expect(principalOfClaims(byEmail, { email: "a@b.c", email_verified: true })).toEqual(user("a@b.c"));
  expect(principalOfClaims(byEmail, { email: "a@b.c", email_verified: "true" })).toMatchObject({ ok: false });
  expect(principalOfClaims(byEmail, { email: "a@b.c", email_verified: false })).toMatchObject({ ok: false });
});
