import { expect, test } from "vitest";
import { isCrossOrigin } from "./cross-origin.ts";

const host = "gateway:8998";

test("accepts the gateway's own page, and clients that are not browsers", () => {
  const accepted = [
    { host },
    { host, "sec-fetch-site": "same-origin", origin: "https://public.example" },
    { host, "sec-fetch-site": "none" },
    { host, origin: "http://Gateway:8998" },
  ];
  expect(accepted.map((headers) => isCrossOrigin("POST", headers))).toEqual(accepted.map(() => false));
});

test("detects pages of other origins", () => {
  const rejected = [
    { host, "sec-fetch-site": "cross-site" },
    { host, "sec-fetch-site": "same-site", origin: "http://gateway:8998" },
    { host, origin: "http://gateway:8999" },
    { host, origin: "null" },
  ];
  expect(rejected.map((headers) => isCrossOrigin("DELETE", headers))).toEqual(rejected.map(() => true));
});

test("accepts the gateway's page behind a proxy that changes Host", () => {
  const headers = { host: "10.0.0.1:8998", origin: "https://gateway.example" };
  expect(isCrossOrigin("POST", headers)).toBe(true);
  expect(isCrossOrigin("POST", headers, ["gateway.example"])).toBe(false);
  expect(isCrossOrigin("POST", { ...headers, "sec-fetch-site": "same-site" }, ["gateway.example"])).toBe(true);
});

test("ignores requests that change nothing", () => {
  expect(isCrossOrigin("GET", { host, "sec-fetch-site": "cross-site" })).toBe(false);
});
