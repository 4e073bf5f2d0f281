import { expect, test } from "vitest";
import { historyPath } from "./history-path.ts";

test.each([
  "/history/spark-1",
  "/history/spark-1/stages/stage/",
  "/static/historypage.js",
  "/api/v1/applications/spark-1/allexecutors",
  "/api/v1/applications/spark-1/stages/0/0/taskTable",
])("serves %s of the application", (path) => {
  expect(historyPath("spark-1", path)).toEqual({ kind: "page", path });
});

test.each([
  ["/", "/jobs/"],
  ["/stages/", "/stages/"],
  ["/history/spark-2/jobs/", "/jobs/"],
  ["/history/spark-1/../spark-2/jobs/", "/jobs/"],
  ["/history/spark-1/%2e%2e/spark-2/jobs/", "/jobs/"],
  ["/history/spark-1;/../spark-2", "/jobs/"],
  ["/history/spark-1\\..\\spark-2", "/jobs/"],
  ["/history/spark-10/jobs/", "/jobs/"],
  ["/api/v1/applications", "/jobs/"],
  ["/api/v1/applications/spark-2/logs", "/jobs/"],
])("leads from %s to %s of the application", (path, page) => {
  expect(historyPath("spark-1", path)).toEqual({ kind: "redirect", path: `/history/spark-1${page}` });
});
