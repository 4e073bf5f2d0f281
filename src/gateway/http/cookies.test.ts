import { expect, test } from "vitest";
import { cookieName, printCookie, readCookie } from "./cookies.ts";

test("a cookie is for this host, and neither for scripts nor for requests of other sites", () => {
  const cookie = { name: "a", value: "b", maxAgeSeconds: 60 };
  expect(printCookie({ ...cookie, isSecure: false })).toBe("a=b; Max-Age=60; Path=/; HttpOnly; SameSite=Lax");
  expect(printCookie({ ...cookie, isSecure: true })).toBe("a=b; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure");
  expect([cookieName("a", true), cookieName("a", false)]).toEqual(["__Host-a", "a"]);
});

test("a cookie is read if the header has it once", () => {
  expect(readCookie("x=1; session=abc=; y", "session")).toBe("abc=");
  expect(readCookie("xsession=1; session2=2; session", "session")).toBeUndefined();
  expect(readCookie("session=1; session=2", "session")).toBeUndefined();
  expect(readCookie(undefined, "session")).toBeUndefined();
});
