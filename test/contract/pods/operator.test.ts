import { readFileSync } from "node:fs";
import { describe } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { createAuthority, createServerCertificate } from "../../../src/local-cluster/certificates/certificate.ts";
import { podClusters } from "../pod-cluster.ts";
import { createAt, settled } from "../test-namespace.ts";
import { podChecks, ready } from "./pod-checks.ts";

const program = readFileSync(new URL("greetings.py", import.meta.url), "utf8");

function definition(group: string) {
  const text = { type: "object", properties: { text: { type: "string" }, times: { type: "integer", default: 1 } } };
  const status = { type: "object", properties: { phase: { type: "string" } } };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `greetings.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { kind: "Greeting", plural: "greetings", singular: "greeting" } },
      versions: [
        {
          ...{ name: "v1", served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: text, status } } },
        },
      ],
    },
  };
}

describe.each(podClusters())("an operator on $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check(
    "serves its custom resources with pods, and its webhook by a service",
    async (space, { expect, onTestFinished }) => {
      const { namespace, client } = space;
      const group = `${namespace}.example.com`;
      const host = nodeHost();
      const authority = createAuthority(host, "operator");
      const names = [`operator.${namespace}.svc`];
      const { certificatePem, privateKeyPem } = createServerCertificate(host, { authority, name: "operator", names });

      onTestFinished(
        await createAt(space, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(group)),
      );
      await space.create("configmaps", {
        kind: "ConfigMap",
        metadata: { name: "program" },
        data: { "greetings.py": program },
      });
      await space.create("secrets", {
        ...{ kind: "Secret", type: "kubernetes.io/tls", metadata: { name: "certificate" } },
        stringData: { "tls.crt": certificatePem, "tls.key": privateKeyPem },
      });
      const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
      await createAt(space, `${rbac}/roles`, {
        ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "operator" } },
        rules: [
          { apiGroups: [group], resources: ["greetings"], verbs: ["list", "watch"] },
          { apiGroups: [group], resources: ["greetings/status"], verbs: ["patch"] },
          { apiGroups: [""], resources: ["pods"], verbs: ["create", "list", "watch"] },
        ],
      });
      await createAt(space, `${rbac}/rolebindings`, {
        ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "operator" } },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "operator" },
        subjects: [{ kind: "ServiceAccount", name: "default", namespace }],
      });
      await settled(async () => (await client.call("GET", `/apis/${group}/v1/greetings`)).status === 200);
      const { image } = space;
      const env = { NAMESPACE: namespace, GROUP: group, IMAGE: image, PYTHONUNBUFFERED: "1" };
      await space.pod("operator", {
        containers: [
          {
            name: "operator",
            command: ["python3", "/program/greetings.py"],
            env: [
              ...Object.entries(env).map(([name, value]) => ({ name, value })),
              { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            ],
            readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
            volumeMounts: [
              { name: "program", mountPath: "/program" },
              { name: "certificate", mountPath: "/certificate" },
            ],
          },
        ],
        volumes: [
          { name: "program", configMap: { name: "program" } },
          { name: "certificate", secret: { secretName: "certificate" } },
        ],
      });
      await space.create("services", {
        ...{ kind: "Service", metadata: { name: "operator" } },
        spec: { selector: { app: "operator" }, ports: [{ port: 443, targetPort: 8443 }] },
      });
      await space.until("operator", ready);
      onTestFinished(
        await createAt(space, "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
          ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" },
          metadata: { name: namespace },
          webhooks: [
            {
              ...{ name: `greetings.${group}`, admissionReviewVersions: ["v1"], sideEffects: "None" },
              clientConfig: {
                service: { namespace, name: "operator", path: "/default" },
                caBundle: Buffer.from(authority.certificatePem).toString("base64"),
              },
              rules: [{ apiGroups: [group], apiVersions: ["v1"], operations: ["CREATE"], resources: ["greetings"] }],
            },
          ],
        }),
      );

      const greetings = `/apis/${group}/v1/namespaces/${namespace}/greetings`;
      const greeting = (name: string) => ({
        ...{ apiVersion: `${group}/v1`, kind: "Greeting", metadata: { name }, spec: {} },
      });
      // A webhook takes effect some time after its configuration was stored.
      let count = 0;
      await settled(async () => {
        count += 1;
        const { status, text } = await client.call("POST", greetings, greeting(`g-${count}`));
        return status === 201 && JSON.parse(text).spec.text !== undefined;
      });
      const name = `g-${count}`;
      const read = async () => JSON.parse((await client.call("GET", `${greetings}/${name}`)).text);
      await settled(async () => (await read()).status?.phase === "Succeeded");
      expect(await read()).toMatchObject({ spec: { text: "from-the-webhook", times: 1 } });
      expect(await space.log(`${name}-pod`)).toBe("from-the-webhook\n");

      await client.call("DELETE", `${greetings}/${name}`);
      await settled(async () => (await client.call("GET", space.at("pods", `${name}-pod`))).status === 404);
    },
  );
});
