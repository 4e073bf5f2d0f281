import { describe, expect, test } from "vitest";
import { parsePom } from "./pom.ts";
import { replaceProperties } from "./properties.ts";

const text = "<project><groupId>g</groupId><artifactId>é</artifactId></project>";

describe("a POM", () => {
  test.each([
    ["UTF-8", new TextEncoder().encode(text)],
    ["UTF-16", Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["ISO-8859-1", Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, "latin1")],
  ])("is read in %s", (_, content) => {
    expect(parsePom(content).artifact).toBe("é");
  });

  test.each([
    ["", "its POM is not XML: "],
    ["<html/>", "its POM has the root element html instead of project"],
    ['<!DOCTYPE p [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><project>&b;</project>', "undefined entity"],
    ['<!DOCTYPE p [<!ENTITY e SYSTEM "file:///etc/passwd">]><project>&e;</project>', "undefined entity"],
  ])("is none: %j", (content, reason) => {
    expect(() => parsePom(new TextEncoder().encode(content))).toThrow(reason);
  });
});

test("rejects properties that multiply each other", () => {
  const name = (index: number) => `\${p${index}}`;
  const properties = new Map(
    Array.from({ length: 30 }, (_, index) => [`p${index}`, name(index + 1).repeat(10)] as const),
  );
  expect(() => replaceProperties(name(0), properties)).toThrow(
    "the properties in ${p0} need more than 1000 replacements",
  );
  expect(
    replaceProperties(
      "${a}-${b}",
      new Map([
        ["a", "1${a}"],
        ["b", "${none}"],
      ]),
    ),
  ).toBe("1${a}-${none}");
});
