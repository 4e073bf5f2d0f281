import { expect, test } from "vitest";
import { testHost } from "../../../../host/test-host.ts";
import { fileTarget } from "./file-target.ts";

const files = {
  "/c/packages/jars/1/x.jar": { link: "/c/packages/sha256/ab" },
  "/c/packages/sha256/ab": "jar",
  "/me/app.py": "print()",
};

async function upload(path: string) {
  const host = testHost({ env: { FIRESTEEL_CACHE: "/c" }, files });
  const name = path.replace(/^.*\//, "");
  const progress: number[] = [];
  const target = fileTarget(host);
  const control = { onProgress: (bytes: number) => progress.push(bytes) };
  await target.upload({ scheme: "file", path, sizeBytes: 3, directory: "file:///up/1", name }, control);
  return { host, progress, copy: `/up/1/${name}` };
}

test("copies a file of the user", async () => {
  const { host, copy, progress } = await upload("/me/app.py");
  expect(host.files.readText(copy)).toBe("print()");
  host.files.append("/me/app.py", "#");
  expect(host.files.readText(copy)).toBe("print()");
  expect(progress).toEqual([7]);
});

test("links a file of the cache instead of a copy", async () => {
  const { host, copy, progress } = await upload("/c/packages/jars/1/x.jar");
  expect(host.files.info(copy, { followLinks: false })?.kind).toBe("file");
  expect(host.files.readText(copy)).toBe("jar");
  expect(progress).toEqual([3]);
});

test("copies a file of the cache if it cannot be linked", async () => {
  const host = testHost({ env: { FIRESTEEL_CACHE: "/c" }, files });
  const target = fileTarget(host);
  const call = { scheme: "file", path: "/c/packages/sha256/ab", sizeBytes: 3, directory: "/up", name: "ab" } as const;
  await target.upload(call, { onProgress: () => {} });
  // The second link fails, because the name is in use.
  await target.upload(call, { onProgress: () => {} });
  expect(host.files.readText("/up/ab")).toBe("jar");
});
