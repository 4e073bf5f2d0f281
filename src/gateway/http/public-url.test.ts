import { expect, test } from "vitest";
import { publicUrl } from "./public-url.ts";

const settings = { prefix: "/spark", livy: { uiBasePath: "/base" } };
const tls = { certificate: "c", key: "k" };

test("without an external URL, the request's Host is the address, and headers of proxies are ignored", () => {
  const { originFor, ...url } = publicUrl(settings);
  expect(url).toEqual({ root: "/base/spark", apiRoot: "/spark", isSecure: false, hosts: [] });
  const headers = { host: "a:1", "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" };
  expect(originFor(headers)).toBe("http://a:1");
  expect(publicUrl({ ...settings, tls }).originFor(headers)).toBe("https://a:1");
});

test("an external URL replaces path, scheme and host", () => {
  const { originFor, ...url } = publicUrl({ ...settings, externalUrl: "https://Gateway.example:444/a/spark/" });
  expect(url).toEqual({ root: "/a/spark", apiRoot: "/a/spark", isSecure: true, hosts: ["gateway.example:444"] });
  expect(originFor({ host: "10.0.0.1:8998" })).toBe("https://gateway.example:444");
  expect(publicUrl({ ...settings, tls, externalUrl: "http://a" })).toMatchObject({ root: "", isSecure: false });
});
