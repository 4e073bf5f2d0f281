import { expect, test } from "vitest";
import type { ApplicationRecord, GatewayApplication, GatewayState } from "../model/application.ts";
import { testApplication, testRecord, testSubmission } from "../model/test-application.ts";
import { uiLinks, uiSource } from "./ui-links.ts";

function application(
  state: GatewayState,
  record: Partial<ApplicationRecord>,
  settings: Readonly<Record<string, string>> = {},
): GatewayApplication {
  const submission = { ...testSubmission, settings };
  return testApplication({ record: testRecord({ appId: "spark-1", ...record, submission }), state });
}

const end = { state: "succeeded", atMs: 0, hasStarted: true } as const;
const uiRoot = "/spark";
const sourceOf = uiSource({ servesUi: true, hasHistory: false });
const links = uiLinks({ uiRoot, sourceOf, historyServer: "http://history:18080/" });

test("a running application has the link to its Spark UI, unless it has none", () => {
  expect(links(application("running", {}))).toEqual({ uiUrl: "/spark/applications/api-0/ui/" });
  expect(links(application("running", {}, { "spark.ui.enabled": "false" }))).toEqual({});
  expect(links(application("pending", {}))).toEqual({});
});

test("an application that has ended has the link to the history server, unless it never got an application ID", () => {
  expect(links(application("succeeded", { end }))).toEqual({
    historyUrl: "http://history:18080/history/spark-1/jobs/",
  });
  expect(links(application("failed", { end, appId: undefined }))).toEqual({});
});

test("without UIs and a history server there are no links", () => {
  const served = uiSource({ servesUi: false, hasHistory: true });
  const none = uiLinks({ uiRoot, sourceOf: served, historyServer: undefined });
  expect(none(application("running", {}))).toEqual({});
  expect(none(application("succeeded", { end }))).toEqual({});
});

test("an application that has ended has a page of the gateway's own history server", () => {
  const own = uiLinks({ uiRoot, sourceOf: uiSource({ servesUi: true, hasHistory: true }), historyServer: undefined });
  expect(own(application("succeeded", { end }))).toEqual({ historyUrl: "/spark/applications/api-0/ui/" });
  expect(own(application("running", {}))).toEqual({ uiUrl: "/spark/applications/api-0/ui/" });
  expect(own(application("failed", { end, appId: undefined }))).toEqual({});
});
