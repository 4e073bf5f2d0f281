import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { archiveAnnotation } from "../../../plan/archive-annotation.ts";
import type { ArchiveLocation } from "../../../values/archive-location.ts";
import { archiveRequestOf, isArchivedByCluster, signArchiveRequest } from "./archive-request.ts";

const host = testHost({ cwd: "/work" });

function podWith(value: string | undefined): Pod {
  return { metadata: { annotations: value === undefined ? {} : { [archiveAnnotation]: value } } };
}

test.each([
  ["bundles", "/work/bundles"],
  ["s3a://b/x y", "s3a://b/x y"],
  ["pvc:claim/dir", "pvc:claim/dir"],
])("a cluster accepts the request of its user for %s", (text, location) => {
  expect(archiveRequestOf(podWith(signArchiveRequest(host, text, "token")), "token")).toBe(location);
});

test("a cluster rejects requests that its user has not signed", () => {
  const signed = signArchiveRequest(host, "/bundles", "token") ?? "";
  const others = [undefined, "", "/bundles", signed.replace("/bundles", "/other"), `x${signed}`, signed.slice(1)];
  for (const value of others) expect(archiveRequestOf(podWith(value), "token")).toBeUndefined();
  expect(archiveRequestOf(podWith(signed), "another token")).toBeUndefined();
  expect(signArchiveRequest(host, "ftp://x", "token")).toBeUndefined();
});

test("a client leaves the archive to the cluster only in the location that the cluster knows", () => {
  const pod = podWith(signArchiveRequest(host, "bundles", "token"));
  const directory = (path: string): ArchiveLocation => ({ kind: "directory", path });
  expect(isArchivedByCluster(host, pod, directory("/work/bundles"))).toBe(true);
  expect(isArchivedByCluster(host, pod, directory("/work/others"))).toBe(false);
  expect(isArchivedByCluster(host, podWith(undefined), directory("bundles"))).toBe(false);
});
