import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { refused, testApi } from "../test-api.ts";
import { type Credentials, withCredentials } from "./credentials.ts";

const get: ApiRequest = { method: "GET", path: "/version", headers: {} };

function authorized(accepted: string, first: Credentials, later: Credentials = first) {
  const clock = testClock(0);
  const api = testApi(({ headers }) =>
    headers["authorization"] === accepted ? { status: 200 } : refused(401, "Unauthorized"),
  );
  const transport = withCredentials(api.transport, clock, { first, reread: async () => later });
  const sent = () => api.requests.map(({ headers }) => headers["authorization"]);
  return { clock, sent, ask: async () => (await transport(get)).status };
}

test("a user and password come before a token", async () => {
  const { ask, sent } = authorized("Basic am9lOnB3", { basic: { user: "joe", password: "pw" }, token: "t" });
  expect(await ask()).toBe(200);
  expect(sent()).toEqual(["Basic am9lOnB3"]);
});

test("a token that is not accepted any more is read again, once", async () => {
  const renewed = authorized("Bearer new", { token: "old" }, { token: "new" });
  expect(await renewed.ask()).toBe(200);
  expect(renewed.sent()).toEqual(["Bearer old", "Bearer new"]);
  const same = authorized("Bearer new", { token: "old" });
  expect(await same.ask()).toBe(401);
  expect(same.sent()).toEqual(["Bearer old"]);
});

test("a token is read again after a minute", async () => {
  const { ask, clock, sent } = authorized("Bearer new", { token: "new" }, { token: "newer" });
  await ask();
  await clock.advance(60_001);
  await ask();
  expect(sent()).toEqual(["Bearer new", "Bearer newer"]);
});

test("nobody in particular sends no header, and a token with a line break is refused unseen", async () => {
  const { ask, sent } = authorized("", {});
  await ask();
  expect(sent()).toEqual([undefined]);
  expect(() => authorized("", { token: "s3cret\n" })).toThrow(
    expect.objectContaining({
      code: "SUBMIT_ERR_KUBE_AUTH_TOKEN",
      message: expect.not.stringContaining("s3cret"),
    }),
  );
});
