import { expect, test } from "vitest";
import { isAllowedHost } from "./host-names.ts";

test.each([undefined, "localhost", "LOCALHOST:8998", "spark.localhost:1", "127.0.0.1:8998", "[::1]:8998", "[::1]"])(
  "%s is the loopback address",
  (host) => {
    expect(isAllowedHost(host, [])).toBe(true);
  },
);

test.each(["", "public.example:8998", "localhost.example", "127.0.0.1.example", "10.0.0.1", "[::2]", "localhost:1:2"])(
  "%s is another host",
  (host) => {
    expect(isAllowedHost(host, ["gateway.example"])).toBe(false);
  },
);

test("other names can be allowed", () => {
  expect(isAllowedHost("Gateway.example:443", ["gateway.example"])).toBe(true);
});
