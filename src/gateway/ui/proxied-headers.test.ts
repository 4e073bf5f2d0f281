import { expect, test } from "vitest";
import { clientHeaders, driverHeaders, rebasedLocation } from "./proxied-headers.ts";

const base = "/spark/applications/api-0/ui";

test("a driver gets no credentials of the client", () => {
  const headers = {
    authorization: "Basic x",
    cookie: "a=b",
    accept: "text/html",
    host: "gateway",
    "x-requested-by": "a",
  };
  expect(driverHeaders(headers, base)).toEqual({ host: "driver", accept: "text/html", "x-forwarded-context": base });
});

test("a client gets no cookies of a driver, and the policy for Spark's pages", () => {
  const headers = clientHeaders({ "set-cookie": ["a=b"], "content-type": "text/html", server: "Jetty" }, base);
  expect(Object.keys(headers)).toEqual(["content-type", "content-security-policy"]);
});

test.each([
  ["http://10.0.0.1:4040/jobs/", `${base}/jobs/`],
  ["/jobs/?id=1", `${base}/jobs/?id=1`],
  [`http://driver${base}/jobs/`, `${base}/jobs/`],
  ["jobs/", "jobs/"],
  ["http://driver", `${base}/`],
  ["//evil.example/x", `${base}/x`],
  ["\\\\evil.example\\x", `${base}/x`],
  ["javascript:alert(1)", "alert(1)"],
])("a redirect to %s stays below the UI", (location, expected) => {
  expect(rebasedLocation(location, base)).toBe(expected);
});
