import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { tokenAuthentication } from "./token.ts";

const alice = { kind: "accepted", principal: { user: "alice", groups: ["team"] } };

test("a token is accepted as a bearer token and as a password", async () => {
  const { authenticate } = authentication();
  expect(await authenticate("Bearer good")).toEqual(alice);
  expect(await authenticate(`Basic ${Buffer.from("any:good").toString("base64")}`)).toEqual(alice);
});

test.each(["Bearer bad", "Bearer", "Basic Z29vZA==", "Basic YWxpY2U6", "good", undefined])(
  "%s gets a challenge",
  async (header) => {
    expect(await authentication().authenticate(header)).toMatchObject({
      kind: "rejected",
      rejection: { status: 401, headers: { "www-authenticate": expect.stringMatching(/^Bearer .*, Basic /) } },
    });
  },
);

test("a token that cannot be verified now is rejected for the moment, without the token in the log", async () => {
  const { authenticate, logged } = authentication();
  expect(await authenticate("Bearer down")).toMatchObject({
    rejection: { status: 503, headers: { "retry-after": "5" } },
  });
  expect(logged).toEqual([["A token cannot be verified.", { reason: "no cluster" }]]);
});

test("tokens beyond 64 that are verified are rejected for the moment", async () => {
  const { authenticate } = authentication();
  const results = await Promise.all(Array.from({ length: 70 }, () => authenticate("Bearer good")));
  const statuses = results.map((result) => (result.kind === "rejected" ? result.rejection.status : 200));
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
});

function authentication() {
  const logged: unknown[] = [];
  const authenticate = tokenAuthentication({
    async verify(token) {
      if (token === "down") throw new Error("no cluster");
      return token === "good" ? { user: "alice", groups: ["team"] } : undefined;
    },
    schemes: ["Bearer", "Basic"],
    log: (_, text, fields) => void logged.push([text, fields]),
  });
  return {
    logged,
    authenticate(authorization: string | undefined, path = "/batches") {
      const request = new IncomingMessage(new Socket());
      if (authorization !== undefined) request.headers.authorization = authorization;
      return authenticate(request, path);
    },
  };
}
