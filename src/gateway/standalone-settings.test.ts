import { describe, expect, test } from "vitest";
import { standaloneSettings } from "./standalone-settings.ts";

const key = Buffer.alloc(32, 7).toString("base64url");
const filter = "org.apache.spark.ui.JWSFilter";
const keySetting = `spark.${filter}.param.secretKey`;

function parse(settings: Readonly<Record<string, string>>, options: { port?: string; address?: string } = {}) {
  const defaults = Object.entries(settings).map(([name, value]) => {
    return [name, { key: name, value, origin: { kind: "conf" } }] as const;
  });
  return standaloneSettings({
    ...{ port: options.port, address: options.address, gatewayAddress: "0.0.0.0", env: {} },
    defaults: new Map(defaults),
  });
}

const messagesOf = (...call: Parameters<typeof parse>) => parse(...call).issues.map(({ message }) => message);

describe("standaloneSettings", () => {
  test("behaves as the newest Spark, or as that of the settings", () => {
    expect(parse({}).settings.version.text).toMatch(/^4\.3\./);
    expect(parse({ "spark.kubernetes.container.image": "spark:3.5.9" }).settings.version.text).toBe("3.5.9");
    expect(() => parse({ "spark.firesteel.sparkVersion": "2.4" })).toThrow("2.4");
  });

  test("listens on the loopback address unless tokens or an option protect its port", () => {
    const protectedBy = { "spark.master.rest.filters": filter, [keySetting]: key };
    expect(parse({}, { port: "6066" }).settings.listener).toEqual({ address: "127.0.0.1", port: 6066 });
    expect(parse(protectedBy, { port: "6066" }).settings.listener?.address).toBe("0.0.0.0");
    expect(parse({}, { port: "0", address: "10.0.0.1" }).settings.listener).toEqual({ address: "10.0.0.1", port: 0 });
    expect(parse(protectedBy).settings).toMatchObject({ listener: undefined, tokenKey: Buffer.alloc(32, 7) });
  });

  test("rejects ports, addresses, filters and keys that it cannot use", () => {
    expect(messagesOf({}, { port: "x" })[0]).toContain("--rest-port");
    expect(messagesOf({}, { address: "10.0.0.1" })[0]).toContain("--rest-host");
    expect(messagesOf({ "spark.master.rest.filters": "a.B" })[0]).toContain("a.B");
    expect(messagesOf({ "spark.master.rest.filters": filter, [keySetting]: "AAAA" })[0]).toContain("32 bytes");
  });
});
