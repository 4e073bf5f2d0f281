import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { openSegment } from "./segment.ts";

test("a journal file that cannot be written or truncated is closed", async () => {
  const { files } = testHost({ files: { "/journal": "torn" } });
  let open = 0;
  const full = () => {
    throw new Error("ENOSPC");
  };
  const failing = {
    ...files,
    async openAppend(path: string) {
      const file = await files.openAppend(path);
      open += 1;
      const close = () => {
        open -= 1;
        file.close();
      };
      return { ...file, close, append: full, truncate: full };
    },
  };
  await expect(openSegment(failing, "/new")).rejects.toThrow("ENOSPC");
  await expect(openSegment(failing, "/journal", 2)).rejects.toThrow("ENOSPC");
  expect(open).toBe(0);
});
