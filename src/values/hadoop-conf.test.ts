import { expect, test } from "vitest";
import { hadoopConf } from "./hadoop-conf.ts";

function confOf(properties: Readonly<Record<string, string>>) {
  const variables = { env: { HOST: "h1", EMPTY: "" }, system: { "user.name": "ann" } };
  return hadoopConf(new Map(Object.entries(properties)), variables);
}

test("resolves references to properties, the environment and the user", () => {
  const conf = confOf({
    a: "hdfs://${env.HOST}:${port}/${user.name}",
    port: "${other}",
    other: " 9000",
    absent: "${env.NONE:-x}${env.EMPTY-y}",
    unknown: "${nobody}",
  });
  expect(conf.get("a")).toBe("hdfs://h1: 9000/ann");
  expect(conf.get("port")).toBe("9000");
  expect(conf.get("absent")).toBe("xy");
  expect(conf.get("unknown")).toBe("${nobody}");
});

test("stops resolving a property that refers to itself", () => {
  expect(confOf({ a: "${b}", b: "${a}" }).get("a")).toMatch(/^\$\{[ab]\}$/);
  expect(confOf({ a: "x${a}" }).get("a")).toMatch(/^x+\$\{a\}$/);
});

test("reads empty values as unset, booleans in any case, and comma-separated lists", () => {
  const conf = confOf({ empty: " ", yes: " TRUE", invalid: "ja", list: " a, ,b" });
  expect(conf.get("empty")).toBeUndefined();
  expect([conf.getBoolean("yes", false), conf.getBoolean("invalid", true), conf.getBoolean("none", false)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(conf.getList("list")).toEqual(["a", "b"]);
  expect(conf.with(new Map([["yes", "false"]])).getBoolean("yes", true)).toBe(false);
  expect(conf.entries().map(([name]) => name)).toEqual(["empty", "invalid", "list", "yes"]);
});
