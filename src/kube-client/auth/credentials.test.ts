import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { refused, testApi } from "../test-api.ts";
import type { Account } from "./account.ts";
import { withCredentials } from "./credentials.ts";

const get: ApiRequest = { method: "GET", path: "/version", headers: {} };

/** An API that takes one Authorization; accounts are read one after the other, an Error fails. */
async function authorized(accepted: string, first: Account, ...later: readonly (Account | Error)[]) {
  const clock = testClock(Date.UTC(2026, 0, 1));
  const api = testApi(({ headers }) =>
    headers["authorization"] === accepted ? { status: 200 } : refused(401, "Unauthorized"),
  );
  const rest = [...later];
  const logged: string[] = [];
  const opened: (string | undefined)[] = [];
  let reads = 0;
  const { transport } = await withCredentials(
    {
      clock,
      log: (_, __, text) => logged.push(text),
      read: async () => {
        reads += 1;
        const next = rest.shift() ?? first;
        if (next instanceof Error) throw next;
        return next;
      },
      toTls: ({ certificate }) => ({
        trustsAll: false,
        ignoresHostName: false,
        certificate: certificate?.[0]?.data,
      }),
      open: async ({ certificate }) => {
        opened.push(certificate);
        return { transport: api.transport, close: () => {} };
      },
    },
    first,
  );
  const sent = () => api.requests.map(({ headers }) => headers["authorization"]);
  return {
    clock,
    api,
    sent,
    logged,
    opened,
    reads: () => reads,
    sendCall: async () => (await transport(get)).status,
  };
}

test("a user and password beat a token", async () => {
  const { sendCall, sent } = await authorized("Basic am9lOnB3", {
    basic: { user: "joe", password: "pw" },
    token: "t",
  });
  expect(await sendCall()).toBe(200);
  expect(sent()).toEqual(["Basic am9lOnB3"]);
});

test("a rejected token is read again, once", async () => {
  const renewed = await authorized("Bearer new", { token: "old" }, { token: "new" });
  expect(await renewed.sendCall()).toBe(200);
  expect(renewed.sent()).toEqual(["Bearer old", "Bearer new"]);
  const same = await authorized("Bearer new", { token: "old" });
  expect(await same.sendCall()).toBe(401);
  expect(same.sent()).toEqual(["Bearer old"]);
});

test("calls that are rejected together read the account once", async () => {
  const { sendCall, reads } = await authorized("Bearer new", { token: "old" }, { token: "new" });
  expect(await Promise.all([sendCall(), sendCall(), sendCall()])).toEqual([200, 200, 200]);
  expect(reads()).toBe(1);
});

test("a token is read again after a minute, and before it ends", async () => {
  const minute = await authorized("Bearer new", { token: "new" }, { token: "newer" });
  await minute.sendCall();
  await minute.clock.advance(60_001);
  await minute.sendCall();
  expect(minute.sent().slice(0, 2)).toEqual(["Bearer new", "Bearer newer"]);
  const validUntil = Date.UTC(2026, 0, 1) + 5000;
  const ending = await authorized("Bearer b", { token: "a", validUntil }, { token: "b" });
  await ending.clock.advance(5000);
  expect(await ending.sendCall()).toBe(200);
  expect(ending.sent()).toEqual(["Bearer b"]);
});

test("an account that cannot be read again stays in use, with a warning", async () => {
  const { sendCall, clock, logged } = await authorized("Bearer t", { token: "t" }, new Error("half written"));
  await clock.advance(60_001);
  expect(await sendCall()).toBe(200);
  expect(logged).toEqual(["The credentials stay as they are. half written"]);
});

test("an account that has vanished stays in use", async () => {
  const { sendCall, clock, logged } = await authorized("Bearer t", { token: "t" }, {});
  await clock.advance(60_001);
  expect(await sendCall()).toBe(200);
  expect(logged).toEqual(["The credentials stay as they are. None are found any more."]);
});

test("another client certificate opens new connections; the same one does not", async () => {
  const first = { token: "t", certificate: [{ data: "one" }] };
  const other = { token: "t", certificate: [{ data: "two" }] };
  const { sendCall, clock, opened } = await authorized("Bearer t", first, first, other);
  for (const _ of [1, 2, 3]) {
    await sendCall();
    await clock.advance(60_001);
  }
  expect(opened).toEqual(["one", "two"]);
});

test("every call names the impersonated user, with one header per group", async () => {
  const impersonation = {
    user: "jané",
    uid: "7",
    groups: ["dev", "ops"],
    extra: { "example.com/Scopes%": ["r", "w"], none: [] },
  };
  const { sendCall, api } = await authorized("Bearer t", { token: "t", impersonation });
  await sendCall();
  expect(api.requests[0]?.headers).toEqual({
    authorization: "Bearer t",
    "impersonate-user": "janÃ©",
    "impersonate-uid": "7",
  });
  expect(api.requests[0]?.repeatedHeaders).toEqual({
    "impersonate-group": ["dev", "ops"],
    "impersonate-extra-example.com%2Fscopes%25": ["r", "w"],
  });
});

test("a rejection of expired credentials reports their expiry", async () => {
  const payload = Buffer.from(JSON.stringify({ exp: Date.UTC(2025, 0, 1) / 1000 })).toString("base64url");
  const { sendCall, logged } = await authorized("", { token: `e30.${payload}.sig` });
  expect(await sendCall()).toBe(401);
  expect(logged).toEqual(["The bearer token expired at 2025-01-01T00:00:00.000Z: renew it."]);
});

test("an empty account sends no header, and a token with a line break is rejected before sending", async () => {
  const { sendCall, sent } = await authorized("", {});
  await sendCall();
  expect(sent()).toEqual([undefined]);
  await expect(authorized("", { token: "s3cret\n" })).rejects.toMatchObject({
    code: "SUBMIT_ERR_KUBE_AUTH_TOKEN",
    message: expect.not.stringContaining("s3cret"),
  });
});
