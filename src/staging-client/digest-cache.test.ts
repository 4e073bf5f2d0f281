import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { digestCache } from "./digest-cache.ts";

test("a file that we may not read is SUBMIT_ERR_FILE_UNREADABLE, and named", async () => {
  const host = testHost({ files: { "/app.jar": "jar" } });
  const readRange = () => {
    throw new Error("EACCES: permission denied, open '/app.jar'");
  };
  const cache = digestCache({ ...host, files: { ...host.files, readRange } }, "/cache");
  await expect(cache.digestOf("/app.jar")).rejects.toMatchObject({
    code: "SUBMIT_ERR_FILE_UNREADABLE",
    message: expect.stringContaining("/app.jar"),
  });
});
