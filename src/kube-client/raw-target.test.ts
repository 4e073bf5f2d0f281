import { expect, test } from "vitest";
import { resourceTypes } from "../kube/resources.ts";
import { rawTarget } from "./raw-target.ts";
import { aboutCollection, aboutObject, aboutSubresource } from "./target.ts";

const type = resourceTypes.pod;
const root = "/api/v1/namespaces";

test.each([
  ["ns", `${root}/ns/pods?w=1`, `${root}/ns/pods/drv?w=1`],
  ["a#b", `${root}/a`, `${root}/a`],
  ["a?b", `${root}/a?b/pods&w=1`, `${root}/a/drv?b/pods&w=1`],
  ["?", `${root}?/pods&w=1`, `${root}/drv?/pods&w=1`],
  ["#", root, root],
  ["%41", `${root}/%41/pods?w=1`, `${root}/%41/pods/drv?w=1`],
  ["a//b", `${root}/a/b/pods?w=1`, `${root}/a/b/pods/drv?w=1`],
  ["/", `${root}/pods?w=1`, `${root}/pods/drv?w=1`],
])("does not escape a namespace %s in a URL", (namespace, collection, object) => {
  const query = { w: 1 };
  expect(rawTarget({ ...aboutCollection({ type, namespace }, "list", query) })).toBe(collection);
  expect(rawTarget({ ...aboutObject({ type, namespace, name: "drv" }, "get", query) })).toBe(object);
});

test.each([
  ["c?d", `${root}/ns/pods/c?d`],
  ["c#d", `${root}/ns/pods/c`],
  ["c%41d", `${root}/ns/pods/c%41d`],
])("does not escape a name %s in a URL", (name, target) => {
  expect(rawTarget({ ...aboutObject({ type, namespace: "ns", name }, "get") })).toBe(target);
});

test("keeps the subresource after the name", () => {
  const call = { type, namespace: "n;s", name: "c%d", subresource: "log" };
  expect(rawTarget({ ...aboutSubresource(call, "get", {}) })).toBe(`${root}/n;s/pods/c%d/log`);
});
