import { afterAll, beforeAll } from "vitest";
import { isFields } from "../../src/values/fields.ts";
import { available } from "../requirements.ts";
import { testHdfsStore } from "../staging/hdfs/store-tests.ts";
import { describeWith } from "../test-with.ts";
import { fetchMiniHadoop, type MiniHadoop, startMiniHadoop } from "./mini-hadoop.ts";

const hadoop = fetchMiniHadoop();

describeWith(hadoop)("a staging server whose store is in Hadoop's HDFS", { timeout: 900_000 }, () => {
  let started: MiniHadoop | undefined;
  let directories = 0;
  beforeAll(async () => {
    started = await startMiniHadoop(available(hadoop));
  }, 600_000);
  afterAll(async () => {
    await started?.stop();
  }, 300_000);
  testHdfsStore(() => ({
    newDirectory() {
      directories += 1;
      return `${started?.fileSystem}/user/ann/store-${directories}`;
    },
    env: { HADOOP_CONF_DIR: started?.confDirectory ?? "", HADOOP_USER_NAME: "ann" },
    async list(directory) {
      const path = directory.replace(/^\w+:\/\/[^/]*/, "");
      const json: unknown = JSON.parse((await started?.list(path)) ?? "");
      const statuses = isFields(json) ? json["FileStatuses"] : undefined;
      const files = isFields(statuses) ? statuses["FileStatus"] : undefined;
      return Array.isArray(files) ? files.map((file) => String(isFields(file) ? file["pathSuffix"] : "")) : [];
    },
  }));
});
