import { expect, test } from "vitest";
import { applicationRoute, parseRoute } from "./route.ts";

test.each([
  ["", { view: "list" }],
  ["#/nothing", { view: "list" }],
  ["#/queues", { view: "queues" }],
  ["#/schedules", { view: "schedules" }],
  [applicationRoute("a-1", "events"), { view: "application", key: "a-1", part: "events" }],
  [applicationRoute("a-1"), { view: "application", key: "a-1", part: "log" }],
  ["#/applications/a-1/unknown", { view: "application", key: "a-1", part: "log" }],
])("parses %j", (fragment, route) => {
  expect(parseRoute(fragment)).toEqual(route);
});
