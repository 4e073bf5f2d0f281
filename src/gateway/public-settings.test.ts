import { expect, test } from "vitest";
import { publicSettings } from "./public-settings.ts";

const read = (url: string | undefined, prefix = "") => publicSettings({ prefix, value: () => url });

test("an external URL ends with the prefix", () => {
  expect(read(undefined)).toEqual({ externalUrl: undefined, issues: [] });
  expect(read("https://a.example/x/spark/", "/spark").externalUrl).toBe("https://a.example/x/spark/");
  expect(read("https://a.example", "/spark").issues.map(({ message }) => message)).toEqual([
    "Invalid value 'https://a.example' for --external-url; allowed: a URL whose path ends with /spark, the --prefix.",
  ]);
});

test.each(["gateway.example", "ftp://a", "https://a?b", "https://user@a", "https://a/#b", "https://"])(
  "%j is rejected",
  (url) => {
    expect(read(url).issues).toHaveLength(1);
  },
);
