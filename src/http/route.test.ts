import { expect, test } from "vitest";
import { router } from "./route.ts";

const find = router([
  { method: "GET", path: "/v1/uploads/{id}", run: "read" },
  { method: "POST", path: "/v1/uploads/{id}:commit", run: "commit" },
  { method: "GET", path: "/v1/bundles/{id}/entries/{index}", run: "entry" },
  { method: "POST", path: "/v1/blobs:missing", run: "missing" },
]);

test.each([
  ["GET", "/v1/uploads/7", "read", { id: "7" }],
  ["POST", "/v1/uploads/7:commit", "commit", { id: "7" }],
  ["GET", "/v1/bundles/a/entries/3", "entry", { id: "a", index: "3" }],
  ["POST", "/v1/blobs:missing", "missing", {}],
])("%s %s", (method, path, run, parameters) => {
  expect(find(method, path)).toMatchObject({ kind: "found", route: { run }, parameters });
});

test("lists the methods of a path for a request with another one", () => {
  expect(find("PUT", "/v1/uploads/7")).toEqual({ kind: "wrongMethod", allowed: ["GET"] });
});

test.each(["/v1/uploads/", "/v1/uploads/a/b", "/v1/blobs-missing", "/v1/uploads/7:other", "/"])(
  "%s leads nowhere",
  (path) => {
    expect(find("GET", path)).toEqual({ kind: "unknown" });
  },
);
