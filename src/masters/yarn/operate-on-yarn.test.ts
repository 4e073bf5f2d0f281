import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { resolveOperation } from "../../resolve/resolve-operation.ts";
import { printHadoopXml } from "../../values/hadoop-xml.ts";
import { operateOnYarn } from "./operate-on-yarn.ts";
import { type TestYarnOptions, testYarn, testYarnSite } from "./test-yarn.ts";

async function operateOnTestYarn(
  action: "kill" | "status",
  submissionId: string,
  options: TestYarnOptions = {},
  json = false,
) {
  const host = testHost({
    env: { HADOOP_CONF_DIR: "/etc/hadoop" },
    files: { "/etc/hadoop/core-site.xml": printHadoopXml(Object.entries(testYarnSite)) },
  });
  const yarn = testYarn(options);
  const noSettings = {
    settings: [],
    propertiesFile: undefined,
    extraPropertiesFiles: [],
    loadsDefaults: false,
  };
  const rest = { fields: { master: "yarn" }, ...noSettings, supervise: false, verbose: false, submissionId };
  const invocation = action === "kill" ? { action, ...rest } : { action, ...rest, json };
  const operation = await resolveOperation({ host, invocation });
  const outcome = operateOnYarn(operation, yarn.connections);
  return { outcome: await outcome, text: host.errorText().replaceAll(/^\d\d\S+ \S+ /gm, ""), yarn, host };
}

const appId = "application_1_0001";

test("prints the state of an application in Spark's format or as JSON", async () => {
  const running = {
    state: "RUNNING",
    finalStatus: "UNDEFINED",
    amRPCAddress: "node7:4711",
    trackingUrl: "http://x",
  };
  const { outcome, text } = await operateOnTestYarn("status", appId, { reports: [running] });
  expect(outcome.isFound).toBe(true);
  expect(text).toBe(`INFO Client: Application report for application_1_0001 (state: RUNNING)
INFO Client: 
	 client token: N/A
	 diagnostics: N/A
	 ApplicationMaster host: node7
	 ApplicationMaster RPC port: 4711
	 queue: root.default
	 start time: 5
	 final status: UNDEFINED
	 tracking URL: http://x
	 user: ann
`);
  const { host } = await operateOnTestYarn("status", appId, { reports: [running] }, true);
  expect(JSON.parse(host.outText())).toMatchObject({ appId, state: "RUNNING", driver: { host: "node7" } });
});

test("kills an application unless it has ended", async () => {
  const { yarn, text } = await operateOnTestYarn("kill", appId, { reports: [{ state: "RUNNING" }] });
  expect([yarn.killed, text]).toEqual([[appId], `INFO Client: Application ${appId} is killed\n`]);
  const over = await operateOnTestYarn("kill", appId, { reports: [{ state: "FINISHED" }] });
  expect([over.yarn.killed, over.text]).toEqual([[], `WARN Client: Application ${appId} is already terminated\n`]);
});

test("reports an invalid and an unknown application ID", async () => {
  await expect(operateOnTestYarn("kill", "spark-1")).rejects.toMatchObject({
    code: "SUBMIT_ERR_YARN_APP_ID",
  });
  await expect(operateOnTestYarn("status", "application_9_0009")).rejects.toMatchObject({
    ...{ code: "SUBMIT_ERR_YARN_APP_UNKNOWN", message: "Application application_9_0009 not found." },
  });
});
