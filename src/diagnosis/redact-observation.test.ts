import { expect, test } from "vitest";
import { redactorOf } from "./redact-observation.ts";
import { driverPod, executorPod, observe } from "./test-observation.ts";

const planted = {
  setting: "planted-setting-1",
  variable: "planted-variable-2",
  argument: "planted-argument-3",
  executor: "planted-executor-4",
};

function container(name: string, value: string, args: readonly string[] = []) {
  return { spec: { containers: [{ name, image: "i", args: [...args], env: [{ name: "DB_PASSWORD", value }] }] } };
}

test("no planted secret stays in an observation, wherever it is repeated", () => {
  const everywhere = Object.values(planted).join(" ");
  const facts = observe({
    properties: { "spark.db.password": planted.setting, "spark.app.note": everywhere, "spark.pin.token": "1234" },
    driver: driverPod({
      ...container("spark-kubernetes-driver", planted.variable, ["--db-password", planted.argument, "--pin", "x"]),
      metadata: { annotations: { note: everywhere }, managedFields: [{ manager: "m" }] },
      logs: { main: everywhere },
    }),
    executors: [executorPod(container("spark-kubernetes-executor", planted.executor))],
    rejection: { method: "POST", path: "/x", status: 403, body: { message: everywhere } },
  });
  const redactor = redactorOf(facts);
  const text = JSON.stringify([redactor.observation(facts), redactor.text(everywhere)]);
  expect(Object.values(planted).filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toContain("1234");
  expect(text).not.toContain("managedFields");
  expect(text).toContain('"--pin","x"');
});

test("names of Secrets and ordinary settings stay", () => {
  const properties = { "spark.kubernetes.driver.secrets.keys": "/etc/keys", "spark.app.name": "pi" };
  const facts = observe({ properties });
  expect(redactorOf(facts).observation(facts).properties).toEqual(properties);
});

test("an invalid spark.redaction.regex hides what the default one does", () => {
  const facts = observe({ properties: { "spark.redaction.regex": "(", "spark.db.password": "planted-secret" } });
  expect(JSON.stringify(redactorOf(facts).observation(facts))).not.toContain("planted-secret");
});
