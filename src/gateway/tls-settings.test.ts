import { expect, test } from "vitest";
import { tlsSettings } from "./tls-settings.ts";

test("paths of TLS are relative to the working directory", () => {
  const read = tlsSettings(input({ "--tls-cert": "c.pem", "--tls-key": "/k.pem", "--tls-client-ca": "ca.pem" }));
  expect(read).toEqual({
    tls: { certificate: "/work/c.pem", key: "/k.pem", clientAuthorities: "/work/ca.pem" },
    issues: [],
  });
});

test("without options, there is no TLS", () => {
  expect(tlsSettings(input({}))).toEqual({ tls: undefined, issues: [] });
});

test.each([
  [{ "--tls-cert": "c" }, "Invalid value 'c' for --tls-cert; allowed: a file with --tls-key FILE."],
  [{ "--tls-key": "k" }, "Invalid value 'k' for --tls-key; allowed: a file with --tls-cert FILE."],
  [
    { "--tls-client-ca": "ca" },
    "Invalid value 'ca' for --tls-client-ca; allowed: a file with --tls-cert FILE and --tls-key FILE.",
  ],
])("%j is incomplete", (options, message) => {
  const { tls, issues } = tlsSettings(input(options));
  expect([tls, issues.map((issue) => issue.message)]).toEqual([undefined, [message]]);
});

function input(options: Readonly<Record<string, string>>) {
  return { cwd: "/work", value: (option: string) => options[option] };
}
