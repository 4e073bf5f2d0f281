import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { openPendingUploads } from "./pending-uploads.ts";

const digest = `sha256:${"a".repeat(64)}` as const;

test("a damaged note of a pending upload is a missing one", () => {
  const { files } = testHost();
  const uploads = openPendingUploads(files, { directory: "/uploads", server: "https://s", namespace: "n" });
  uploads.save(digest, "0f8fad5b-d9cb-469f-a165-70867728950e");
  expect(uploads.load(digest)).toBe("0f8fad5b-d9cb-469f-a165-70867728950e");
  const [name = ""] = files.list("/uploads") ?? [];
  for (const damaged of ["", "\0\0\0\0", "../bundles", "..", "a b", "x".repeat(300)]) {
    files.write(`/uploads/${name}`, damaged);
    expect(uploads.load(digest)).toBeUndefined();
  }
});
