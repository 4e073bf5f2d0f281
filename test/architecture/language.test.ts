import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hitsOf, type Passage, readLanguage, splitName, type WordToAvoid } from "./language.ts";

const listPath = new URL("./words-to-avoid.json", import.meta.url);
const { entries } = parseJson<{ readonly entries: readonly WordToAvoid[] }>(readFileSync(listPath, "utf8"));
const language = readLanguage();

function parseJson<T>(text: string): T {
  return JSON.parse(text);
}

describe("words to avoid", () => {
  test.each(entries)("$regex: use $instead", (word) => {
    const names = word.scope === "prose" ? [] : hitsOf(word, language.identifiers);
    const prose = word.scope === "identifier" ? [] : hitsOf(word, language.prose);
    const { identifier, prose: maxProse } = word.max;
    expect(names.length > identifier ? names.map(printHit) : []).toEqual([]);
    expect(prose.length > maxProse ? prose.map(printHit) : []).toEqual([]);
    // A ratchet: after a correction, lower `max` in words-to-avoid.json to these counts.
    expect(word.max).toEqual({ identifier: names.length, prose: prose.length });
  });

  test("have expressions in lower case, like the searched text", () => {
    const shorthand = /\\\w/g;
    const wrong = entries.filter(({ regex }) => /\p{Lu}/u.test(regex.replaceAll(shorthand, "")));
    expect(wrong).toEqual([]);
  });

  test("occur at most 450 times, and 100 times in names", () => {
    const sum = (kind: keyof WordToAvoid["max"]) => entries.reduce((total, { max }) => total + max[kind], 0);
    expect(sum("identifier")).toBeLessThanOrEqual(100);
    expect(sum("identifier") + sum("prose")).toBeLessThanOrEqual(450);
  });
});

test("names are split at case changes, hyphens and dots", () => {
  expect([splitName("tellAsLauncher"), splitName("tell-as-launcher"), splitName("HTTPServer")]).toEqual([
    "tell as launcher",
    "tell as launcher",
    "http server",
  ]);
});

function printHit({ path, line, text }: Passage): string {
  return `${path}:${line} ${text}`;
}
