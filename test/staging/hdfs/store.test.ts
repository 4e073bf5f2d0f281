import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { alone, contentOf, defaultForm, someBytes, stageBundle, startStaging } from "../staging-program.ts";
import { testHdfsStore } from "./store-tests.ts";
import { startTestHdfs, type TestHdfs } from "./webhdfs-server.ts";

describe("a staging server whose store is in an HDFS", { timeout: 300_000 }, () => {
  let started: TestHdfs | undefined;
  let directories = 0;
  beforeAll(async () => {
    started = await startTestHdfs();
  });
  afterAll(() => started?.close());
  testHdfsStore(() => ({
    newDirectory() {
      directories += 1;
      return `webhdfs://${started?.address}/user/ann/store-${directories}`;
    },
    env: { HADOOP_USER_NAME: "ann" },
    async list(directory) {
      const path = directory.replace(/^\w+:\/\/[^/]*/, "");
      const names = [...(started?.nodes.keys() ?? [])].filter((name) => name.startsWith(`${path}/`));
      return names.map((name) => name.slice(path.length + 1)).filter((name) => !name.includes("/"));
    },
  }));
});

describe("a store in an HDFS that fails", { timeout: 120_000 }, () => {
  async function storeOver() {
    const hdfs = await startTestHdfs();
    onTestFinished(() => hdfs.close());
    const store = `webhdfs://${hdfs.address}/store`;
    return { hdfs, store, start: () => startStaging(alone, { store, env: { HADOOP_USER_NAME: "ann" } }) };
  }

  test("T19 responds with 507 while a quota is exhausted, and recovers without a restart", async () => {
    const { hdfs, start } = await storeOver();
    const staging = await start();
    const message = "The DiskSpace quota of /store is exceeded";
    hdfs.failWith = ({ op }) =>
      op === "CREATE" ? { status: 403, exception: "DSQuotaExceededException", message } : undefined;
    const full = await staging.sendRequest("POST", "/api/v0/resources", defaultForm(someBytes(100)));
    expect([full.status, full.code()]).toEqual([507, "STORE_FULL"]);
    expect((await staging.sendRequest("GET", "/readyz")).status).toBe(503);
    hdfs.failWith = () => undefined;
    expect((await staging.sendRequest("POST", "/api/v0/resources", defaultForm(someBytes(100)))).status).toBe(200);
  });

  test("T40 survives broken connections and NameNodes on standby", async () => {
    const { hdfs, start } = await storeOver();
    const staging = await start();
    const standby = { status: 403, exception: "StandbyException", message: "Operation category READ" };
    hdfs.failWith = ({ index }) => (index % 10 === 3 ? "break" : index % 10 === 7 ? standby : undefined);
    const bytes = someBytes(3_000_000, 3);
    const { path, reader } = await stageBundle(staging, bytes);
    const got = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    expect(got.body.equals(bytes)).toBe(true);
  });

  test("T39 stores a content while two other servers store it, too", async () => {
    const { hdfs, start } = await storeOver();
    const staging = await start();
    const bytes = someBytes(1000, 5);
    const hex = contentOf(bytes).digest.slice("sha256:".length);
    const target = `/store/blobs/sha256/${hex.slice(0, 2)}/${hex.slice(2)}`;
    hdfs.failWith = ({ op, path }) => {
      if (op !== "RENAME" || !path.endsWith("/data")) return undefined;
      hdfs.add(`${target}/0000000000000000`, Buffer.from(bytes));
      hdfs.add(`${target}/data`);
      return undefined;
    };
    const { path, reader } = await stageBundle(staging, bytes);
    expect(hdfs.nodes.has(`${target}/data`)).toBe(true);
    const got = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    expect(got.body.equals(bytes)).toBe(true);
  });

  test("does not start a server if the user cannot write there", async () => {
    const { hdfs, start } = await storeOver();
    const message = 'Permission denied: user=ann, access=WRITE, inode="/":hdfs:supergroup:drwxr-xr-x';
    hdfs.failWith = ({ op }) =>
      op === "MKDIRS" ? { status: 403, exception: "AccessControlException", message } : undefined;
    await expect(start()).rejects.toThrow(/Permission denied: user=ann/);
  });
});
