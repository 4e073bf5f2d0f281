/** @module-tag long */

import fc from "fast-check";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type TestResponse, testApi } from "../../kube-client/test-api.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { runAttachCommand } from "./attach.ts";
import { runDiagnoseCommand } from "./diagnose.ts";
import { runSparkSubmit } from "./submit.ts";
import { runSweepCommand } from "./sweep.ts";

type Run = (host: ReturnType<typeof testHost>, openClient: OpenClient) => Promise<number>;

const target = ["drv", "--master", "k8s://h", "--namespace", "ns"];
const submission = [
  ...["--master", "k8s://h", "--deploy-mode", "cluster", "--conf", "spark.kubernetes.container.image=i"],
  ...["--conf", "spark.kubernetes.namespace=ns", "--class", "X", "local:///a.jar"],
];

const commands: Readonly<Record<string, Run>> = {
  submit: runSparkSubmit,
  attach: (host, openClient) => runAttachCommand(host, target, openClient),
  diagnose: (host, openClient) => runDiagnoseCommand(host, target, openClient),
  sweep: (host, openClient) => runSweepCommand(host, ["--master", "k8s://h", "--namespace", "ns"], openClient),
  status: runSparkSubmit,
  kill: runSparkSubmit,
};
const argv: Readonly<Record<string, readonly string[]>> = {
  submit: submission,
  status: ["--status", "ns:*", "--master", "k8s://h"],
  kill: ["--kill", "ns:*", "--master", "k8s://h"],
};

/** Runs a command with an API that gives a response to every request. */
async function runWith(command: string, respond: (path: string) => TestResponse, strict: string) {
  const host = testHost({ argv: argv[command] ?? [], env: { FIRESTEEL_STRICT: strict } });
  const api = testApi(({ path }) => respond(path));
  const { transport } = api;
  const openClient: OpenClient = async (_, { log, requestTimeoutMs, server }) =>
    kubeClient({ transport, server, clock: host.clock, log, requestTimeoutMs, defaultNamespace: "ns" });
  const ended = commands[command]?.(host, openClient).catch((error: unknown) => error);
  return { end: await host.settle(Promise.resolve(ended)), requests: api.requests.length, text: host.errorText() };
}

const scalar = fc.oneof(fc.constantFrom(null, true, 0, -1, 1e300, "", "Failed", "Pod"), fc.string({ maxLength: 5 }));
const name = fc.constantFrom(
  ...["metadata", "spec", "status", "items", "kind", "name", "namespace", "uid", "labels", "annotations", "type"],
  ...["containers", "containerStatuses", "initContainerStatuses", "conditions", "state", "terminated", "exitCode"],
  ...["waiting", "reason", "message", "phase", "volumes", "ownerReferences", "managedFields", "object", "code"],
  ...["details", "involvedObject", "configMap", "data", "env", "args", "ports", "resourceVersion", "continue"],
);
/** JSON whose fields have the names of Kubernetes, but any type. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(name, tie("json"), { maxKeys: 6 }),
  ),
}));
/** An object that becomes a driver, except for one part. */
const almostDriver = fc.tuple(fc.constantFrom("metadata", "spec", "status"), name, json).map(([part, field, value]) => {
  const driver: Record<string, Record<string, unknown>> = {
    metadata: { name: "drv", namespace: "ns", uid: "u", resourceVersion: "1", labels: { "spark-role": "driver" } },
    spec: { containers: [{ name: "spark-kubernetes-driver", image: "i" }], volumes: [] },
    status: {
      phase: "Failed",
      containerStatuses: [{ name: "spark-kubernetes-driver", state: { terminated: { exitCode: 1 } } }],
    },
  };
  return { ...driver, [part]: { ...driver[part], [field]: value } };
});
const responseBody = fc.oneof(
  json,
  almostDriver,
  almostDriver.map((item) => ({ items: [item], metadata: {} })),
  almostDriver.map((object) => ({ type: "ADDED", object })),
);
const text = fc.oneof(
  { weight: 8, arbitrary: responseBody.map((value) => JSON.stringify(value)) },
  fc.constantFrom("", "<html>login</html>", "{", "[[[[]]]]", "null", '{"items": null}', "\0"),
);
const maxRequests = 100;
const status = fc.constantFrom(200, 200, 200, 201, 403, 404, 409, 422);

test.each(Object.keys(commands).flatMap((command) => ["", "1"].map((strict) => [command, strict] as const)))(
  "%s ends without an internal error for any response, with FIRESTEEL_STRICT=%j",
  async (command, strict) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(status, text), { minLength: 1, maxLength: 4 }), async (responses) => {
        let next = 0;
        const respond = (): TestResponse => {
          const [code, body] = responses[next % responses.length] ?? [200, ""];
          next += 1;
          // The wait for a running driver has no end: it is deleted.
          if (next > maxRequests) return { status: 404, body: { kind: "Status", code: 404, message: "not found" } };
          return { status: code, body: `${body}\n` };
        };
        const { end, text: printed } = await runWith(command, respond, strict);
        if (end instanceof Error) expect(end).toHaveProperty("code", expect.stringMatching(/^SUBMIT_ERR_/));
        else expect(end).toSatisfy(Number.isInteger);
        expect(printed).not.toMatch(/Internal error|TypeError|RangeError|error in Firesteel|undefined is not/);
      }),
      { numRuns: 60 },
    );
  },
);

test.each([
  ["[[]]", "it is a list, not an object"],
  ["null", "it is null, not an object"],
  ["42", "it is a number, not an object"],
  ['"text"', "it is a string, not an object"],
  ["<html>", "it is not JSON, or it is cut off"],
  ['{"kind":"Pod","metad', "it is not JSON, or it is cut off"],
  ['{"kind":"Status","status":"Success"}', "it is a Status, not a Service"],
  ['{"kind":"Service"}', "metadata is missing"],
])("submit reports the response %s", async (body, problem) => {
  const { end, text: printed } = await runWith("submit", () => ({ status: 200, body }), "");
  expect(end).toBe(1);
  expect(printed).toMatch(
    /^Error: Cannot parse the response to PATCH https:\/\/h\/api\/v1\/namespaces\/ns\/services\/\S+: /m,
  );
  expect(printed).toContain(`-svc: ${problem}\n`);
});

test.each([
  ['{"items": 5}', "items is a number, not a list"],
  ['{"items": [null]}', "items[0] is null, not an object"],
  ['{"kind": "Pod", "metadata": {}}', "it is a Pod, not a PodList"],
])("status reports the response %s", async (body, problem) => {
  const { end, text: printed } = await runWith("status", () => ({ status: 200, body }), "");
  expect(end).toBe(1);
  expect(printed).toContain(
    `Error: Cannot parse the response to GET https://h/api/v1/namespaces/ns/pods: ${problem}\n`,
  );
});

test("status reads a list without objects, whether it is empty, null or missing", async () => {
  for (const body of ['{"items": []}', '{"items": null}', "{}"]) {
    expect((await runWith("status", () => ({ status: 200, body }), "")).text).toContain("No applications found.");
  }
});

test("a list that never ends is an error", async () => {
  const body = '{"items": [], "metadata": {"continue": "more"}}';
  const { text: printed, requests } = await runWith("status", () => ({ status: 200, body }), "");
  expect(printed).toContain("the list has more than 200000 objects or 2000 pages");
  expect(requests).toBe(2000);
});

test("attach gives up after two minutes of malformed responses", async () => {
  let hasStarted = false;
  const pod = { metadata: { name: "drv", namespace: "ns", uid: "u" }, status: { phase: "Running" } };
  const respond = (path: string): TestResponse => {
    if (hasStarted || !path.includes("/pods/drv")) return { status: 200, body: "<html>" };
    hasStarted = true;
    return { status: 200, body: pod };
  };
  const { end } = await runWith("attach", respond, "");
  expect(end).toMatchObject({ code: "SUBMIT_ERR_KUBE_RESPONSE" });
});
