import { expect, test } from "vitest";
import { findPullCredentials } from "./pull-credentials.ts";

function base64(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");
}

function secret(location: string, entry: unknown = { auth: base64("me:a:b") }) {
  return { ".dockerconfigjson": base64({ auths: { [location]: entry } }) };
}

test.each([
  ["https://index.docker.io/v1/", "docker.io/library/spark"],
  ["registry.example.com", "registry.example.com/team/spark"],
  ["registry.example.com/team", "registry.example.com/team/spark"],
  ["https://registry.example.com:5000/v2/", "registry.example.com:5000/spark"],
  ["*.example.com", "registry.example.com/spark"],
])("the location %s covers %s", (location, repository) => {
  expect(findPullCredentials(secret(location), repository)).toEqual({ username: "me", password: "a:b" });
});

test.each([
  ["registry.example.com", "registry.example.com:5000/spark"],
  ["registry.example.com/team", "registry.example.com/teams/spark"],
  ["*.example.com", "a.b.example.com/spark"],
  ["*", "registry.example.com/spark"],
  ["registry.example.org", "registry.example.com/spark"],
])("the location %s does not cover %s", (location, repository) => {
  expect(findPullCredentials(secret(location), repository)).toBeUndefined();
});

test("reads the older format, names and passwords, and takes the most specific location", () => {
  const auths = { "h.io": { username: "all", password: "p" }, "h.io/team": { username: "team", password: "p" } };
  expect(findPullCredentials({ ".dockercfg": base64(auths) }, "h.io/team/spark")?.username).toBe("team");
  expect(findPullCredentials({ ".dockercfg": base64(auths) }, "h.io/spark")?.username).toBe("all");
});

test.each([[undefined], [{}], [{ ".dockerconfigjson": "e30=" }], [{ ".dockerconfigjson": "%" }], [secret("h.io", 1)]])(
  "finds nothing in damaged data %#",
  (data) => {
    expect(findPullCredentials(data, "h.io/spark")).toBeUndefined();
  },
);
