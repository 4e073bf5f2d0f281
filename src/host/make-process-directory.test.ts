import { expect, test } from "vitest";
import { makeProcessDirectory } from "./make-process-directory.ts";
import { testHost } from "./test-host.ts";

const user = { uid: 0 };

test("removes the directories of killed processes, and keeps those of running ones and other files", () => {
  const host = testHost({
    user,
    files: { "/tmp/job-999-abc/part": "x", "/tmp/job-999": "", "/tmp/job-x-1/a": "", "/tmp/other-999-abc/a": "" },
    spawn: () => {},
  });
  const { pid } = host.spawn("sleep", []);
  host.files.makeDirectory(`/tmp/job-${pid}-def`);
  const made = makeProcessDirectory(host, "/tmp/job-");
  expect(made.startsWith(`/tmp/job-${host.pid}-`)).toBe(true);
  const kept = ["job-999", `job-${pid}-def`, "job-x-1", made.slice("/tmp/".length), "other-999-abc"];
  expect(host.files.list("/tmp")).toEqual(kept.sort());
});

test("keeps directories of another user, and links to directories", () => {
  const host = testHost({ user, files: { "/tmp/job-999-abc/part": "x", "/own/file": "x" } });
  host.files.changeOwner("/tmp/job-999-abc", 1001, 1001);
  host.files.link("/own", "/tmp/job-998-abc");
  makeProcessDirectory(host, "/tmp/job-");
  expect(host.files.list("/tmp")).toEqual(expect.arrayContaining(["job-998-abc", "job-999-abc"]));
  expect(host.files.list("/own")).toEqual(["file"]);
});
