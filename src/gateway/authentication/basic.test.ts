import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { basicAuthentication } from "./basic.ts";
import type { Verify } from "./htpasswd.ts";

const challenge = {
  kind: "rejected",
  rejection: { status: 401, headers: { "www-authenticate": expect.stringMatching(/^Basic /) } },
};
const accepted = (user: string | undefined) => ({ kind: "accepted", principal: { user, groups: [] } });

test("a user with the password is accepted, and all others get a challenge", async () => {
  const { authenticate } = authentication({ alice: "a:b", bob: "2" });
  expect(await authenticate("alice:a:b")).toEqual(accepted("alice"));
  expect(await authenticate("alice:2")).toMatchObject(challenge);
  expect(await authenticate("mallory:2")).toMatchObject(challenge);
  expect(await authenticate(":2")).toMatchObject(challenge);
  expect(await authenticate("alice")).toMatchObject(challenge);
  expect(await authenticate(undefined)).toMatchObject(challenge);
});

test("a verified password is not verified again, until the users change", async () => {
  const { authenticate, verified, changeUsers } = authentication({ alice: "1" });
  await authenticate("alice:1");
  await authenticate("alice:1");
  expect(verified).toEqual(["1"]);
  expect(await authenticate("alice:2")).toMatchObject(challenge);
  changeUsers({ alice: "3" });
  expect(await authenticate("alice:1")).toMatchObject(challenge);
});

test("an unknown user takes a verification, as a known one does", async () => {
  const { authenticate, verified } = authentication({ alice: "1" });
  expect(await authenticate("mallory:1")).toMatchObject(challenge);
  expect(verified).toEqual(["1"]);
});

test("passwords beyond 64 that wait are rejected, for the moment", async () => {
  const { authenticate } = authentication({ alice: "1" });
  const results = await Promise.all(Array.from({ length: 70 }, (_, at) => authenticate(`alice:wrong${at}`)));
  const statuses = results.map((result) => (result.kind === "rejected" ? result.rejection.status : 200));
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
});

function authentication(passwords: Record<string, string>) {
  const verified: string[] = [];
  const usersOf = (all: Record<string, string>): ReadonlyMap<string, Verify> =>
    new Map(
      Object.entries(all).map(([user, expected]) => [
        user,
        async (password) => {
          verified.push(password);
          return password === expected;
        },
      ]),
    );
  let users = usersOf(passwords);
  const run = basicAuthentication({
    random: { bytes: (count) => new Uint8Array(count) },
    users: () => users,
  });
  return {
    verified,
    changeUsers: (changed: Record<string, string>) => {
      users = usersOf(changed);
    },
    authenticate(credentials: string | undefined, path = "/batches") {
      const request = new IncomingMessage(new Socket());
      if (credentials !== undefined)
        request.headers.authorization = `basic ${Buffer.from(credentials).toString("base64")}`;
      return run(request, path);
    },
  };
}
