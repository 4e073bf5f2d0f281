import { readHadoopConf } from "../../../../src/hadoop/read-hadoop-conf.ts";
import { openWebHdfs } from "../../../../src/hadoop/webhdfs.ts";
import { testHost } from "../../../../src/host/test-host.ts";
import { parseRestResponse } from "../../../../src/masters/rest/rest-response.ts";
import { appOutcome, printReport } from "../../../../src/masters/yarn/plan/app-report.ts";
import { openResourceManager } from "../../../../src/masters/yarn/resource-manager.ts";
import { openBucket } from "../../../../src/s3/bucket.ts";
import { anonymous } from "../../../../src/s3/credentials/credentials.ts";
import { S3Error } from "../../../../src/s3/s3-error.ts";
import { inspectTokenStorage } from "../../../../src/values/token-storage.ts";
import { connectionsTo } from "../connections.ts";
import { type FuzzTarget, hasMessage } from "../target.ts";

const user = { name: "tester" };

/** Hadoop, object stores and standalone clusters: files, and responses of servers. */
export const hadoopTargets: readonly FuzzTarget[] = [
  {
    name: "hadoop-xml",
    run(input) {
      const host = testHost({ files: { "/conf/core-site.xml": input } });
      const conf = readHadoopConf(host, { directories: ["/conf"], overrides: new Map() });
      if (!conf.ok) return;
      for (const [name] of conf.value.entries()) conf.value.getList(name);
    },
  },
  { name: "token-storage", run: (input) => inspectTokenStorage(input) },
  {
    name: "webhdfs",
    async run(input) {
      const host = testHost();
      const address = { uri: "hdfs://a", servers: ["http://a:9870"] };
      const hdfs = openWebHdfs(host, { address, user, connections: connectionsTo(input) });
      await host.settle(endAll([hdfs.homeDirectory(), hdfs.status("/a"), hdfs.list("/a"), hdfs.remove("/a")]));
      await host.settle(hdfs.create({ path: "/a", content: Buffer.from("x") }));
    },
  },
  {
    name: "yarn",
    async run(input) {
      const host = testHost();
      const manager = openResourceManager(host, {
        ...{ servers: ["http://a:8088"], user, connections: connectionsTo(input), signal: undefined },
      });
      await host.settle(endAll([manager.newApplication(), manager.kill("a"), manager.submit("a", {})]));
      const report = await host.settle(manager.report("application_1_1"));
      if (report === undefined) return;
      printReport(report, true);
      appOutcome(report);
    },
  },
  {
    name: "rest-response",
    run(input) {
      const [first = 0] = input;
      const reply = {
        contentType: first % 2 === 0 ? "application/json" : "text/html",
        text: input.toString("utf8", 1),
      };
      parseRestResponse({ status: [200, 200, 500, 404][(first >> 1) % 4] ?? 200, ...reply });
    },
  },
  {
    name: "s3",
    isExpected: (error) => error instanceof S3Error || hasMessage(/^(The S3|S3|The response)/)(error),
    async run(input) {
      const host = testHost();
      const address = { bucket: "b", region: "r", isPathStyle: true, credentials: anonymous } as const;
      const bucket = openBucket(host, { ...address, connections: connectionsTo(input) });
      await host.settle(
        endAll([
          ...[firstOf(bucket.list("a")), firstOf(bucket.listUploads("a")), bucket.listParts("k", "i")],
          ...[bucket.createUpload("k"), bucket.completeUpload("k", "i", []), bucket.info("k")],
        ]),
      );
    },
  },
];

/** Waits for all, and then throws the first error. */
async function endAll(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Reads some items: each page of a list is the same. */
async function firstOf(items: AsyncIterable<unknown>): Promise<void> {
  let count = 0;
  for await (const _ of items) if (++count > 100) return;
}
