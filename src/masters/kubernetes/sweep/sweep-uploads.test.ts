import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { testApi } from "../../../kube-client/test-api.ts";
import { testDriver } from "../../../plan/test-driver.ts";
import { uploadsAnnotation } from "../../../plan/uploads-annotation.ts";
import { sweepUploads } from "./sweep-uploads.ts";

const directoryOf = (count: number) => `/shared/spark-upload-00000000-0000-4000-8000-00000000000${count}`;

function sweeping() {
  const api = testApi();
  const directories = [1, 2, 3, 4].map(directoryOf);
  const host = testHost({
    files: Object.fromEntries(directories.map((directory) => [`${directory}/job.py`, "x"])),
  });
  const put = (name: string, phase: string, count?: number, scheme = "file") => {
    const annotations =
      count === undefined ? {} : { [uploadsAnnotation]: JSON.stringify([`${scheme}://${directoryOf(count)}`]) };
    const metadata = { name, labels: { "spark-role": "driver" }, annotations };
    api.put(`/api/v1/namespaces/ns/pods/${name}`, {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      status: { phase },
    });
  };
  put("done", "Succeeded", 1);
  put("broken", "Failed", 2);
  put("running", "Running", 3);
  put("keeps", "Succeeded");
  const client = kubeClient({
    ...{ transport: api.transport, server: "https://api", clock: host.clock, requestTimeoutMs: 0 },
    log: () => {},
  });
  const run = (dryRun: boolean) => host.settle(sweepUploads({ host, client, owner: testDriver(), dryRun }, "ns"));
  const left = () => directories.filter((directory) => host.files.info(directory) !== undefined);
  const noted = (name: string) =>
    api.objects.get(`/api/v1/namespaces/ns/pods/${name}`)?.metadata.annotations?.[uploadsAnnotation];
  return { run, put, left, noted };
}

const ended = [
  { driver: "done", directories: [`file://${directoryOf(1)}`] },
  { driver: "broken", directories: [`file://${directoryOf(2)}`] },
];

test("removes the uploads of ended drivers, but not those of running ones, or without an annotation", async () => {
  const { run, left, noted } = sweeping();
  expect(await run(false)).toEqual({ uploads: ended, issues: [] });
  expect(left()).toEqual([directoryOf(3), directoryOf(4)]);
  // A merge patch removes a field with null.
  expect([noted("done"), noted("broken")]).toEqual([null, null]);
  expect(noted("running")).toContain(directoryOf(3));
});

test("reports uploads without removing them in a dry run", async () => {
  const { run, left, noted } = sweeping();
  expect(await run(true)).toEqual({ uploads: ended, issues: [] });
  expect(left()).toHaveLength(4);
  expect(noted("done")).toContain(directoryOf(1));
});

test("reports an upload that cannot be removed, keeps its annotation, and removes the others", async () => {
  const { run, put, noted } = sweeping();
  put("elsewhere", "Succeeded", 4, "gs");
  const { uploads, issues } = await run(false);
  expect(uploads).toEqual(ended);
  expect(issues).toMatchObject([{ code: "SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE" }]);
  expect(noted("elsewhere")).toContain(directoryOf(4));
});
