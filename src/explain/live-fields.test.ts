import { describe, expect, test } from "vitest";
import type { KubeResource } from "../kube/types.ts";
import { toAppId } from "../values/identity.ts";
import { differenceOf } from "./difference.ts";
import { liveFields, plannedFields } from "./live-fields.ts";
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

/** Builds the fields of a driver as a server returns it: with other IDs and server-set fields. */
function inCluster(options: Parameters<typeof testObjects>[0]) {
  const { objects } = testObjects({ ...options, facts: ids("a") });
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

const planned = (options: Parameters<typeof testObjects>[0] = {}) =>
  plannedFields(testObjects({ ...options, facts: ids("b") }));

describe("liveFields", () => {
  test("equal the fields of the submission that created the driver", () => {
    expect(differenceOf(inCluster({}), planned())).toEqual([]);
  });

  test("leave out what a server sets in a probe and in a volume of the node", () => {
    const pod = (probe: object, hostPath: object): KubeResource => ({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "driver" } },
      spec: {
        containers: [{ name: "main", readinessProbe: { httpGet: { path: "/", port: 80, ...probe } } }],
        volumes: [{ name: "data", hostPath: { path: "/data", ...hostPath } }],
      },
    });
    const differences = (probe: object, hostPath: object) =>
      differenceOf(liveFields(pod(probe, hostPath), []), liveFields(pod({}, {}), [])).map(({ path }) => path);
    expect(differences({ scheme: "HTTP" }, { type: "" })).toEqual([]);
    expect(differences({ scheme: "HTTPS" }, { type: "Directory" })).toEqual([
      "spec.containers[main].readinessProbe.httpGet.scheme",
      "spec.volumes[data].hostPath.type",
    ]);
  });

  test("differ by the changed settings", () => {
    const settings = { "spark.driver.cores": "2" };
    expect(differenceOf(inCluster({}), planned({ settings })).map(({ path }) => path)).toEqual([
      "spec.containers[spark-kubernetes-driver].resources.requests.cpu",
      "data[spark.properties][spark.driver.cores]",
    ]);
  });

  test("compare quantities by value", () => {
    const settings = (cores: string) => ({ settings: { "spark.kubernetes.driver.request.cores": cores } });
    const paths = differenceOf(inCluster(settings("1")), planned(settings("1000m"))).map(({ path }) => path);
    expect(paths).toEqual(["data[spark.properties][spark.kubernetes.driver.request.cores]"]);
  });

  test("show manual changes of fields that no server sets", () => {
    const { objects } = testObjects({ facts: ids("a") });
    const driver = objects.find(({ part }) => part === "driver")?.object;
    const changed = liveFields(
      { ...Object(driver), metadata: { ...driver?.metadata, annotations: { by: "hand" } } },
      [],
    );
    const added = differenceOf(planned(), changed).filter(({ old }) => old === undefined);
    expect(added.map(({ path }) => path)).toEqual(["metadata.annotations.by"]);
  });
});
