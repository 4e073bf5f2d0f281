import { expect, test } from "vitest";
import { publicSettings } from "./public-settings.ts";

const read = (url: string | undefined, prefix = "") =>
  publicSettings({ prefix, value: (option) => (option === "--external-url" ? url : undefined) });

test("an external URL ends with the prefix", () => {
  expect(read(undefined)).toEqual({ externalUrl: undefined, ui: undefined, issues: [] });
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

const readUi = (options: Readonly<Record<string, string>>) =>
  publicSettings({ prefix: "", value: (option) => options[option] });

test("Spark UIs have a port, and an address behind a proxy", () => {
  expect(readUi({ "--ui-port": "8999" }).ui).toEqual({ port: 8999, url: undefined });
  const external = { "--external-url": "https://a.example", "--ui-url": "https://ui.example" };
  expect(readUi({ ...external, "--ui-port": "0" }).ui).toEqual({ port: 0, url: "https://ui.example" });
});

test.each([
  [{ "--ui-port": "x" }, "Invalid value 'x' for --ui-port; allowed: a number from 0 to 65535."],
  [{ "--ui-url": "https://ui" }, "Invalid value 'https://ui' for --ui-url; allowed: a URL together with --ui-port."],
  [
    { "--ui-port": "1", "--ui-url": "https://ui/path" },
    "Invalid value 'https://ui/path' for --ui-url; allowed: a URL without a path, such as https://spark-ui.example.",
  ],
  [
    { "--ui-port": "1", "--external-url": "https://a" },
    "Invalid value '1' for --ui-port; allowed: a port together with --ui-url, because of --external-url.",
  ],
  [
    { "--ui-port": "1", "--external-url": "https://a/x", "--ui-url": "https://a" },
    "Invalid value 'https://a' for --ui-url; allowed: another host or port than that of --external-url.",
  ],
])("%j is rejected", (options, message) => {
  expect(readUi(options).issues.map((issue) => issue.message)).toEqual([message]);
});
