import { expect, test } from "vitest";
import { doctor, type TestDoctor } from "../../src/doctor/test-doctor.ts";
import type { TestApi } from "../../src/local-cluster/test-api.ts";
import { type Fields, isFields } from "../../src/values/fields.ts";
import { recordedFaults } from "./recorded-fault.ts";

const healthy = recordedFaults("healthy");

test("the corpus has healthy records", () => {
  expect(healthy.length).toBeGreaterThan(5);
});

test.each(healthy.map(({ id, record }) => [id, record] as const))("no false alarm: %s", async (_id, record) => {
  const findings = await doctor(setUpOf(record));
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
});

/** Properties that the submission adds itself, and the master, which the test replaces. */
const computed = [
  ...["spark.app.id", "spark.driver.host", "spark.driver.port", "spark.driver.blockManager.port", "spark.master"],
  ...["spark.kubernetes.submitInDriver", "spark.kubernetes.resource.type", "spark.submit.deployMode"],
];

/** Sets up the cluster and the submission of a record. */
function setUpOf(record: Fields): TestDoctor {
  const properties = Object.entries(fieldsOf(record["properties"])).filter(([key]) => !computed.includes(key));
  const conf = Object.fromEntries(properties.map(([key, value]) => [key, String(value)]));
  const [node, ...otherNodes] = objectsOf(record, (kind) => kind === "Node");
  const { initContainers = [] } = podSpecOf(record);
  const template = { spec: { initContainers } };
  return {
    conf: { ...conf, "spark.kubernetes.driver.podTemplateFile": "/template.json" },
    files: { "/template.json": JSON.stringify(template) },
    node: withImage(node ?? {}, conf["spark.kubernetes.container.image"] ?? ""),
    setUp(cluster) {
      putNamespace(cluster, conf["spark.kubernetes.namespace"] ?? "");
      for (const other of otherNodes) cluster.put("nodes", other);
      for (const object of objectsOf(record, (kind) => kind !== "Node"))
        cluster.put(`${String(object["kind"]).toLowerCase()}s`, object);
    },
  };
}

/** Adds the image that the recorded pods ran. The records do not contain the images of a node. */
function withImage(node: Fields, image: string): Fields {
  const images = [{ names: [`docker.io/library/${image}`], sizeBytes: 1 }];
  return { ...node, status: { ...fieldsOf(node["status"]), images } };
}

/** Creates a namespace with the account of the recorded drivers, which has the role `edit`. */
function putNamespace({ put }: TestApi, namespace: string): void {
  put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  put("serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "spark", namespace } });
  const apiGroup = "rbac.authorization.k8s.io";
  put(`rolebindings.${apiGroup}`, {
    ...{ apiVersion: `${apiGroup}/v1`, kind: "RoleBinding", metadata: { name: "spark", namespace } },
    roleRef: { apiGroup, kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "ServiceAccount", name: "spark", namespace }],
  });
}

function objectsOf(record: Fields, isListed: (kind: string) => boolean): readonly Fields[] {
  const objects = Array.isArray(record["objects"]) ? record["objects"].filter(isFields) : [];
  return objects.filter(({ kind }) => isListed(String(kind)));
}

function podSpecOf(record: Fields): Fields {
  const entries = Array.isArray(record["timeline"]) ? record["timeline"].filter(isFields) : [];
  return fieldsOf(fieldsOf(entries.find(({ pod }) => pod !== undefined)?.["pod"])["spec"]);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
