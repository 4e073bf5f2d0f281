import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signToken } from "../../src/staging-server/access/bundle-token.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { alone, type StagedBundle, type Staging, someBytes, stageBundle, startStaging } from "./staging-program.ts";

const secretOf = (character: string) => character.repeat(32);

function keyDirectory(): { readonly directory: string; readonly put: (kid: string, secret: string) => void } {
  const directory = join(temporaryDirectory(), "keys");
  mkdirSync(directory);
  return { directory, put: (kid, secret) => writeFileSync(join(directory, kid), secret) };
}

const read = async (staging: Staging, path: string, token: string) =>
  (await staging.sendRequest("GET", path, { headers: { authorization: `Bearer ${token}` } })).status;

const kidOf = ({ token }: StagedBundle): unknown =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;

test("T30 a bundle accepts only its own token, and the token of a removed bundle returns 410", async () => {
  const keys = keyDirectory();
  keys.put("k1", secretOf("1"));
  const staging = await startStaging([...alone, "--keys", keys.directory]);
  const one = await stageBundle(staging, someBytes(10));
  const other = await stageBundle(staging, someBytes(10));
  const key = { kid: "k1", secret: Buffer.from(secretOf("1")) };
  const claims = { bundle: one.id, ns: "team", exp: Math.floor(Date.now() / 1000) + 60, jti: "j" };
  const [payload = "", signature = ""] = one.token.split(".");
  const tampered = Buffer.from(JSON.stringify({ ...claims, kid: "k1", scope: "read" })).toString("base64url");
  const wrong = {
    none: "",
    other: other.token,
    over: signToken(key, { ...claims, exp: 1 }),
    unknownKey: signToken({ ...key, kid: "k2" }, claims),
    otherSecret: signToken({ ...key, secret: Buffer.from(secretOf("2")) }, claims),
    tampered: `${tampered}.${signature}`,
    firstByte: `${payload}.${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`,
    lastByte: `${payload}.${signature.slice(0, -1)}${signature.at(-1) === "A" ? "B" : "A"}`,
    unsigned: `${payload}.`,
    noAlgorithm: `${Buffer.from(JSON.stringify({ ...claims, kid: "k1", scope: "read", alg: "none" })).toString("base64url")}.`,
    otherKid: `${Buffer.from(JSON.stringify({ ...claims, kid: "../k1", scope: "read" })).toString("base64url")}.${signature}`,
    more: `${one.token}.x`,
  };
  for (const [name, token] of Object.entries(wrong)) {
    expect([name, await read(staging, one.path, token)]).toEqual([name, 401]);
  }
  expect(await read(staging, one.path, signToken(key, claims))).toBe(200);
  await staging.sendRequest("DELETE", one.path);
  expect(await read(staging, one.path, one.token)).toBe(410);
  expect(await read(staging, one.path, wrong.firstByte)).toBe(401);
  expect(await read(staging, "/api/v1/bundles/unknown", one.token)).toBe(401);
});

test("T30 the response time for a wrong token does not reveal which byte is wrong", async () => {
  const staging = await startStaging();
  const { path, token } = await stageBundle(staging, someBytes(10));
  const [payload = "", signature = ""] = token.split(".");
  const other = (character = "") => (character === "A" ? "Q" : "A");
  // The character before the last has no unused bits.
  const early = `${payload}.${other(signature[0])}${signature.slice(1)}`;
  const late = `${payload}.${signature.slice(0, -2)}${other(signature.at(-2))}${signature.slice(-1)}`;
  const timeOf = async (wrong: string) => {
    const startedMs = performance.now();
    expect(await read(staging, path, wrong)).toBe(401);
    return performance.now() - startedMs;
  };
  // Measure in pairs, so that other load affects both equally. Then each is the slower one equally often.
  const pairs = 1000;
  let slowerEarly = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    const isEarlyFirst = pair % 2 === 0;
    const one = await timeOf(isEarlyFirst ? early : late);
    const two = await timeOf(isEarlyFirst ? late : early);
    if (isEarlyFirst ? one > two : two > one) slowerEarly += 1;
  }
  // Six standard deviations of a fair coin.
  expect(Math.abs(slowerEarly - pairs / 2)).toBeLessThan(3 * Math.sqrt(pairs));
});

test("T31 new tokens use the newest key, and old tokens stay valid until their key is removed", async () => {
  const keys = keyDirectory();
  keys.put("2026-01", secretOf("1"));
  const staging = await startStaging([...alone, "--keys", keys.directory]);
  const old = await stageBundle(staging, someBytes(10));
  keys.put("2026-02", secretOf("2"));
  const fresh = await stageBundle(staging, someBytes(10));
  expect([kidOf(old), kidOf(fresh)]).toEqual(["2026-01", "2026-02"]);
  expect(await read(staging, old.path, old.token)).toBe(200);
  expect(await read(staging, fresh.path, fresh.token)).toBe(200);
  rmSync(join(keys.directory, "2026-01"));
  expect(await read(staging, old.path, old.token)).toBe(401);
  expect(await read(staging, fresh.path, fresh.token)).toBe(200);
});

test("a server without a key is not ready", async () => {
  const keys = keyDirectory();
  const staging = await startStaging([...alone, "--keys", keys.directory]);
  const response = await staging.sendRequest("GET", "/readyz");
  expect([response.status, response.body.toString()]).toEqual([503, expect.stringContaining("no signing key")]);
  keys.put("k1", secretOf("1"));
  expect((await staging.sendRequest("GET", "/readyz")).status).toBe(200);
});
