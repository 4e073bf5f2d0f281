import { describe, expect, test } from "vitest";
import type { KubeResource } from "../kube/types.ts";
import { toAppId } from "../values/identity.ts";
import { differenceOf } from "./difference.ts";
import { fieldsOf } from "./fields.ts";
import { comparableFields, liveFields } from "./live-fields.ts";
import { testObjects } from "./test-submission.ts";

const ids = (letter: string) => ({
  appId: toAppId(`${letter.repeat(8)}-1111-4111-8111-111111111111`),
  uniqueIds: {
    resourceNamePrefix: letter.repeat(16),
    driverService: letter.repeat(16),
    confMap: letter.repeat(16),
  },
  localDirUuid: `${letter.repeat(8)}-2222-4222-8222-222222222222`,
});

/** What a server makes of a driver: other ids, and fields of its own. */
function inCluster(given: Parameters<typeof testObjects>[0]) {
  const { objects } = testObjects({ ...given, facts: ids("a") });
  const own = {
    uid: "u",
    resourceVersion: "7",
    creationTimestamp: "2026-01-01T00:00:00Z",
    namespace: "default",
  };
  const live = objects
    .filter(({ part }) => part === "driver" || part === "resource")
    .map(({ object }): KubeResource => ({ ...object, metadata: { ...object.metadata, ...own }, status: {} }));
  const [driver, ...owned] = live;
  if (driver === undefined) throw new Error("no driver");
  const served = {
    ...driver,
    spec: { ...Object(driver["spec"]), dnsPolicy: "ClusterFirst", nodeName: "n1" },
  };
  return liveFields(served, owned);
}

const ours = (given: Parameters<typeof testObjects>[0] = {}) =>
  comparableFields(fieldsOf(testObjects({ ...given, facts: ids("b") })));

describe("a driver in a cluster", () => {
  test("does not differ from the submission that made it", () => {
    expect(differenceOf(inCluster({}), ours())).toEqual([]);
  });

  test("differs by what is asked for", () => {
    const settings = { "spark.driver.cores": "2" };
    expect(differenceOf(inCluster({}), ours({ settings })).map(({ path }) => path)).toEqual([
      "spec.containers[spark-kubernetes-driver].resources.requests.cpu",
      "data[spark.properties][spark.driver.cores]",
    ]);
  });

  test("has the same amounts in another form", () => {
    const settings = (cores: string) => ({ settings: { "spark.kubernetes.driver.request.cores": cores } });
    const paths = differenceOf(inCluster(settings("1")), ours(settings("1000m"))).map(({ path }) => path);
    expect(paths).toEqual(["data[spark.properties][spark.kubernetes.driver.request.cores]"]);
  });

  test("shows what somebody changed that no server sets", () => {
    const { objects } = testObjects({ facts: ids("a") });
    const driver = objects.find(({ part }) => part === "driver")?.object;
    const changed = liveFields(
      { ...Object(driver), metadata: { ...driver?.metadata, annotations: { by: "hand" } } },
      [],
    );
    const added = differenceOf(ours(), changed).filter(({ old }) => old === undefined);
    expect(added.map(({ path }) => path)).toEqual(["metadata.annotations.by"]);
  });
});
