import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { testApi } from "../../../kube-client/test-api.ts";
import { testDriver } from "../../../plan/test-driver.ts";
import { uploadsAnnotation } from "../../../plan/uploads-annotation.ts";
import { sweepUploads } from "./sweep-uploads.ts";

const folderOf = (count: number) => `/shared/spark-upload-00000000-0000-4000-8000-00000000000${count}`;

function sweeping() {
  const api = testApi();
  const folders = [1, 2, 3, 4].map(folderOf);
  const host = testHost({ files: Object.fromEntries(folders.map((folder) => [`${folder}/job.py`, "x"])) });
  const put = (name: string, phase: string, count?: number, scheme = "file") => {
    const annotations =
      count === undefined ? {} : { [uploadsAnnotation]: JSON.stringify([`${scheme}://${folderOf(count)}`]) };
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
  const run = (dryRun: boolean) =>
    host.settle(sweepUploads({ host, client, owner: testDriver(), dryRun }, "ns"));
  const left = () => folders.filter((folder) => host.files.info(folder) !== undefined);
  const noted = (name: string) =>
    api.objects.get(`/api/v1/namespaces/ns/pods/${name}`)?.metadata.annotations?.[uploadsAnnotation];
  return { run, put, left, noted };
}

const ended = [
  { driver: "done", folders: [`file://${folderOf(1)}`] },
  { driver: "broken", folders: [`file://${folderOf(2)}`] },
];

test("uploads of drivers that have ended go; those of others, and of nobody's wish, stay", async () => {
  const { run, left, noted } = sweeping();
  expect(await run(false)).toEqual({ uploads: ended, issues: [] });
  expect(left()).toEqual([folderOf(3), folderOf(4)]);
  // What a merge patch removes.
  expect([noted("done"), noted("broken")]).toEqual([null, null]);
  expect(noted("running")).toContain(folderOf(3));
});

test("a dry run tells of them, and removes nothing", async () => {
  const { run, left, noted } = sweeping();
  expect(await run(true)).toEqual({ uploads: ended, issues: [] });
  expect(left()).toHaveLength(4);
  expect(noted("done")).toContain(folderOf(1));
});

test("an upload that cannot be removed is told, and noted still; the others go", async () => {
  const { run, put, noted } = sweeping();
  put("elsewhere", "Succeeded", 4, "gs");
  const { uploads, issues } = await run(false);
  expect(uploads).toEqual(ended);
  expect(issues).toMatchObject([{ code: "SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE" }]);
  expect(noted("elsewhere")).toContain(folderOf(4));
});
