import { test } from "vitest";
import { swift } from "../staging/s3/fetch-swift.ts";
import { swiftForTests } from "../staging/s3/swift.ts";
import { alone, startStaging } from "../staging/staging-program.ts";
import { describeWith } from "../test-with.ts";
import { expectGibibyteInLittleMemory } from "./staged-gibibyte.ts";

describeWith(swift)("a staging server over a bucket", { timeout: 600_000 }, () => {
  const s3 = swiftForTests();

  test("T13 stores and serves 1 GiB with less than 256 MiB of memory", async () => {
    const bucket = await s3().newBucket();
    const args = [...alone, "--s3-endpoint", s3().endpoint];
    const staging = await startStaging(args, { store: `s3://${bucket}`, env: { ...s3().env } });
    await expectGibibyteInLittleMemory(staging);
  });
});
