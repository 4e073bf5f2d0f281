import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { testHost } from "../../host/test-host.ts";
import { openSealedValues } from "../secrets/sealed-values.ts";
import { openSessions } from "./sessions.ts";

const alice = { user: "alice", groups: ["team"] };

function open(isSecure = false) {
  const clock = testClock(0);
  const sealed = openSealedValues({ ...testHost(), clock });
  const of = (realm: string) => openSessions({ sealed, realm, isSecure });
  return { clock, of, sessions: of("issuer client") };
}

const cookieOf = (header: string | undefined) => ({ cookie: header?.split(";")[0] ?? "" });

test("a session has the user and the groups, for 8 hours", async () => {
  const { sessions, clock } = open();
  const cookie = cookieOf(sessions.start(alice));
  expect(sessions.read(cookie)).toEqual(alice);
  await clock.advance(8 * 60 * 60 * 1000);
  expect(sessions.read(cookie)).toBeUndefined();
});

test("a session of another issuer or client, a changed one, and none have no user", () => {
  const { sessions, of } = open();
  const cookie = cookieOf(of("issuer other").start(alice));
  expect(sessions.read(cookie)).toBeUndefined();
  const { cookie: own } = cookieOf(sessions.start(alice));
  expect(sessions.read({ cookie: `${own}AAAA` })).toBeUndefined();
  expect(sessions.read({})).toBeUndefined();
  expect(sessions.read(cookieOf(sessions.end()))).toBeUndefined();
});

test("a user with more groups than a cookie can have gets no session", () => {
  const { sessions } = open(true);
  const groups = (count: number) => Array.from({ length: count }, (_, at) => `${at}`.padStart(36, "0"));
  expect(sessions.start({ user: "alice", groups: groups(60) })).toMatch(/^__Host-firesteel-session=.*; Secure$/);
  expect(sessions.start({ user: "alice", groups: groups(100) })).toBeUndefined();
});
