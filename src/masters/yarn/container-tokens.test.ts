import { expect, test } from "vitest";
import { defaultTextOf } from "../../conf/entries/topics.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { testWeb } from "../../hadoop/test-web.ts";
import { testHost } from "../../host/test-host.ts";
import { type HadoopCredentials, printTokenStorage, printTokenText } from "../../values/delegation-token.ts";
import { hadoopConf } from "../../values/hadoop-conf.ts";
import { obtainContainerTokens } from "./container-tokens.ts";

const token = { identifier: Buffer.from("i"), password: Buffer.from("p"), kind: "k", service: "s" };

function obtain(site: Readonly<Record<string, string>>, file?: Uint8Array | "missing") {
  const host = testHost({
    env: file === undefined ? {} : { HADOOP_TOKEN_FILE_LOCATION: "/t" },
    files: file instanceof Uint8Array ? { "/t": file } : {},
  });
  const { connections, requests } = testWeb(() => ({ json: { Token: { urlString: printTokenText(token) } } }));
  const conf = new SparkConf([], { text: "4.3.0", line: "4.3" }, { env: {}, defaults: defaultTextOf });
  const warnings: string[] = [];
  const hadoop = hadoopConf(
    new Map(Object.entries({ "dfs.nameservices": "ns", "dfs.ha.namenodes.ns": "a", ...site })),
    {
      ...{ env: {}, system: {} },
    },
  );
  const call = {
    ...{ host, connections, request: { conf }, facts: { hadoop }, user: { name: "ann" } },
    ...{
      servers: ["https://rm1:8090"],
      log: (level: string, _: string, text: string) => warnings.push(`${level} ${text}`),
    },
  };
  const obtained = host.settle(obtainContainerTokens(call, { uri: "hdfs://ns" }));
  return { obtained: obtained.then(({ credentials }) => credentials), requests, warnings };
}

const secure = { "hadoop.security.authentication": "kerberos", "yarn.resourcemanager.principal": "rm/_HOST@R" };
const existing: HadoopCredentials = {
  tokens: new Map([["other", token]]),
  secrets: new Map([["x", Buffer.from("y")]]),
};

test("the ResourceManager renews the tokens of containers, which also get those of the user's file", async () => {
  const { obtained, requests } = obtain(secure, printTokenStorage(existing, 1));
  const { tokens, secrets } = await obtained;
  expect([...tokens.keys(), ...secrets.keys()]).toEqual(["other", "ha-hdfs:ns", "x"]);
  expect(requests[0]?.url.searchParams.get("renewer")).toBe("rm/rm1@R");
});

test("without Kerberos, containers get only the tokens of the file", async () => {
  const { obtained, requests } = obtain({}, printTokenStorage(existing));
  expect([...(await obtained).tokens.keys()]).toEqual(["other"]);
  expect(requests).toEqual([]);
});

test.each([
  ["missing" as const, "WARN Token file /t does not exist"],
  [Buffer.from("garbage!"), "WARN Cannot read the token file /t: Bad header found in token storage."],
])("a token file that cannot be read is reported", async (file, warning) => {
  const { obtained, warnings } = obtain({}, file);
  expect((await obtained).tokens.size).toBe(0);
  expect(warnings).toEqual([warning]);
});

test("a cluster without a principal of the ResourceManager is rejected", async () => {
  await expect(obtain({ "hadoop.security.authentication": "kerberos" }).obtained).rejects.toMatchObject({
    code: "SUBMIT_ERR_KERBEROS_RENEWER",
  });
});
