import { onTestFinished } from "vitest";
import { fetchMiniHadoop, startMiniHadoop } from "../peers/mini-hadoop.ts";
import { available } from "../requirements.ts";
import { alone, startStaging } from "../staging/staging-program.ts";
import { testWith } from "../test-with.ts";
import { expectGibibyteInLittleMemory } from "./staged-gibibyte.ts";

const hadoop = fetchMiniHadoop();

testWith(hadoop)(
  "T13 a staging server over Hadoop's HDFS stores and serves 1 GiB with less than 256 MiB of memory",
  async () => {
    const { confDirectory, fileSystem, stop } = await startMiniHadoop(available(hadoop));
    onTestFinished(stop, 300_000);
    const env = { HADOOP_CONF_DIR: confDirectory, HADOOP_USER_NAME: "ann" };
    await expectGibibyteInLittleMemory(await startStaging(alone, { store: `${fileSystem}/user/ann/store`, env }));
  },
);
