import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { testDriver } from "../../../plan/test-driver.ts";
import { sweepBucket } from "./sweep-bucket.ts";

const day = 24 * 3600_000;
const hexOf = (name: string) => Buffer.from(name).toString("hex").padEnd(64, "0");
const keyOf = (name: string) => `team/sha256/${hexOf(name).slice(0, 2)}/${hexOf(name).slice(2)}`;

/** An incomplete multipart upload; ages in days. */
interface Incomplete {
  readonly key: string;
  readonly id: string;
  readonly days: number;
  readonly partDays?: number;
}

/** Starts a bucket that lists objects with these ages in days; `renewed` ones are new in a later request. */
async function bucketOf(
  host: ReturnType<typeof testHost>,
  days: Readonly<Record<string, number>>,
  renewed: readonly string[] = [],
  incomplete: readonly Incomplete[] = [],
) {
  const removed: string[] = [];
  const daysAgo = (count: number) => new Date(host.clock.now() - count * day);
  const dateOf = (key: string) => daysAgo(days[key] ?? 0);
  const listUploads = (from: string) => {
    const [first, ...rest] = incomplete.slice(incomplete.findIndex(({ id }) => id === from) + 1);
    if (first === undefined) return "";
    const upload = `<Upload><Key>${first.key}</Key><UploadId>${first.id}</UploadId><Initiated>${daysAgo(first.days).toISOString()}</Initiated></Upload>`;
    const next = `<IsTruncated>${rest.length > 0}</IsTruncated><NextKeyMarker>${first.key}</NextKeyMarker><NextUploadIdMarker>${first.id}</NextUploadIdMarker>`;
    return upload + next;
  };
  const listParts = (of: string) => {
    const { partDays } = incomplete.find(({ id }) => id === of) ?? {};
    return partDays === undefined
      ? ""
      : `<Part><PartNumber>1</PartNumber><LastModified>${daysAgo(partDays).toISOString()}</LastModified></Part>`;
  };
  const server = createServer(({ method, url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://s3");
    const key = pathname.replace("/bucket/", "");
    const id = searchParams.get("uploadId");
    if (method === "DELETE") removed.push(id ?? key);
    if (method === "HEAD") {
      const modified = renewed.includes(key) ? new Date(host.clock.now()) : dateOf(key);
      response.setHeader("last-modified", modified.toUTCString());
    }
    const objects = Object.keys(days).map(
      (one) =>
        `<Contents><Key>${one}</Key><LastModified>${dateOf(one).toISOString()}</LastModified><ETag>e</ETag><Size>10</Size></Contents>`,
    );
    const listed =
      id !== null
        ? listParts(id)
        : searchParams.has("uploads")
          ? listUploads(searchParams.get("upload-id-marker") ?? "")
          : objects.join("");
    response.end(method === "GET" ? `<Result>${listed}</Result>` : undefined);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const { conf } = testDriver({
    settings: {
      "spark.firesteel.staging.s3.path": "s3://bucket/team",
      "spark.firesteel.staging.s3.endpoint": `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    },
  });
  return { conf, removed };
}

const env = { AWS_ACCESS_KEY_ID: "k", AWS_SECRET_ACCESS_KEY: "s" };

test("removes only files that were unused for eight days", async () => {
  const host = testHost({ env });
  const [old, recent, renewed] = [keyOf("old"), keyOf("recent"), keyOf("renewed")];
  const others = { "team/sha256/ab/notes.txt": 99, "team/other": 99 };
  const { conf, removed } = await bucketOf(host, { [old]: 9, [recent]: 7, [renewed]: 9, ...others }, [renewed]);
  expect(await sweepBucket({ host, conf, dryRun: true })).toMatchObject({ files: 2, bytes: 20 });
  expect(removed).toEqual([]);
  expect(await sweepBucket({ host, conf, dryRun: false })).toMatchObject({ files: 1, bytes: 10 });
  expect(removed).toEqual([old]);
});

test("aborts multipart uploads without progress for eight days, on every page of the list", async () => {
  const host = testHost({ env });
  const key = keyOf("big");
  const incomplete = [
    { key, id: "recent", days: 7 },
    { key, id: "empty", days: 9 },
    { key, id: "gone-on-with", days: 9, partDays: 1 },
    { key: "team/other", id: "other", days: 99 },
    { key, id: "old", days: 20, partDays: 9 },
  ];
  const { conf, removed } = await bucketOf(host, {}, [], incomplete);
  expect(await sweepBucket({ host, conf, dryRun: true })).toMatchObject({ unfinished: 2 });
  expect(removed).toEqual([]);
  expect(await sweepBucket({ host, conf, dryRun: false })).toMatchObject({ files: 0, unfinished: 2 });
  expect(removed).toEqual(["empty", "old"]);
});

test("reports a rejected request as SUBMIT_ERR_SWEEP_BUCKET", async () => {
  const host = testHost({ env: { AWS_EC2_METADATA_DISABLED: "true" } });
  const { conf } = await bucketOf(host, {});
  await expect(sweepBucket({ host, conf, dryRun: false })).rejects.toMatchObject({
    code: "SUBMIT_ERR_SWEEP_BUCKET",
    message: expect.stringMatching(/^Cannot sweep the bucket http:\S+: no credentials/),
  });
});
