import { expect, test } from "vitest";
import { impersonate, isAllowed, mayModify, mayView } from "./permissions.ts";

const access = { allowedUsers: ["alice", "bob"], viewUsers: ["carol"], modifyUsers: ["dora"] };
const settings = { access, superusers: ["admin"], isImpersonating: true };
const batch = { owner: "admin", proxyUser: "alice" };

test.each([
  { user: "alice", allowed: true, view: true, modify: true },
  { user: "bob", allowed: true, view: false, modify: false },
  { user: "carol", allowed: true, view: true, modify: false },
  { user: "dora", allowed: true, view: true, modify: true },
  { user: "admin", allowed: true, view: true, modify: true },
  { user: "mallory", allowed: false, view: false, modify: false },
  { user: undefined, allowed: false, view: false, modify: false },
])("$user: allowed $allowed, view $view, modify $modify", ({ user, allowed, view, modify }) => {
  expect(isAllowed(user, settings)).toBe(allowed);
  expect(mayView(user, batch, settings)).toBe(view);
  expect(mayModify(user, batch, settings)).toBe(modify);
});

test("without access control, all users may do everything", () => {
  const open = { superusers: [], isImpersonating: false };
  expect([isAllowed("mallory", open), mayView("mallory", batch, open), mayModify("mallory", batch, open)]).toEqual([
    true,
    true,
    true,
  ]);
});

test("an asterisk stands for all users", () => {
  const all = { ...settings, access: { ...access, allowedUsers: ["*"], viewUsers: ["*"] } };
  expect([isAllowed("mallory", all), mayView("mallory", batch, all), mayModify("mallory", batch, all)]).toEqual([
    true,
    true,
    false,
  ]);
});

test("a batch without owner belongs to no user", () => {
  expect(mayView(undefined, { owner: undefined }, settings)).toBe(false);
});

test("superusers may impersonate others, and all users themselves", () => {
  expect(impersonate("admin", "bob", settings)).toEqual({ ok: true, user: "bob" });
  expect(impersonate("alice", "alice", settings)).toEqual({ ok: true, user: "alice" });
  expect(impersonate("alice", "bob", settings)).toEqual({
    ok: false,
    message: "User 'alice' not allowed to impersonate 'bob'.",
  });
});
