import { expect, test } from "vitest";
import { separateForbidden } from "./separate-forbidden.ts";

test("rejects settings that reach the server, and namespaces that it does not serve", () => {
  const settings = {
    "spark.kubernetes.driver.podTemplateFile": "http://10.0.0.1/latest/meta-data",
    "spark.kubernetes.authenticate.submission.oauthTokenFile": "/var/run/secrets/token",
    "spark.kubernetes.namespace": "kube-system",
    "spark.executor.cores": "2",
  };
  const submission = { resource: "local:///app.py", appArgs: [], templates: {}, settings };
  const { forbidden, permitted } = separateForbidden({ ...submission, fields: { pythonEnv: "requirements.txt" } }, [
    "jobs",
  ]);
  expect(permitted).toEqual({ ...submission, fields: {}, settings: { "spark.executor.cores": "2" } });
  expect(forbidden.map(({ code, message }) => [code, message])).toEqual([
    [
      "SUBMIT_ERR_GATEWAY_SETTING",
      "A client of the gateway cannot set spark.kubernetes.driver.podTemplateFile: it concerns files or the identity of the gateway's server.",
    ],
    [
      "SUBMIT_ERR_GATEWAY_SETTING",
      "A client of the gateway cannot set spark.kubernetes.authenticate.submission.oauthTokenFile: it concerns files or the identity of the gateway's server.",
    ],
    ["SUBMIT_ERR_GATEWAY_SETTING", "A client of the gateway cannot set pythonEnv: the server would build it."],
    [
      "SUBMIT_ERR_GATEWAY_SETTING",
      "A client of the gateway cannot set spark.kubernetes.namespace: the gateway does not serve namespace kube-system, only jobs.",
    ],
  ]);
  expect(separateForbidden({ ...submission, fields: {} }, undefined).forbidden).toHaveLength(2);
});
