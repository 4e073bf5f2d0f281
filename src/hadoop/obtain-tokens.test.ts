import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { printTokenText } from "../values/delegation-token.ts";
import { hadoopConf } from "../values/hadoop-conf.ts";
import { obtainTokens } from "./obtain-tokens.ts";
import { type TestRequest, type TestResponse, testWeb } from "./test-web.ts";

const site = {
  "dfs.nameservices": "ns",
  "dfs.ha.namenodes.ns": "a,b",
  "dfs.namenode.http-address.ns.a": "nn1:9870",
  "dfs.namenode.http-address.ns.b": "nn2:9870",
};

/** Token as name nodes return it that ignore `kind` and `service`. */
function issue({ url }: TestRequest): TestResponse {
  const text = printTokenText({
    ...{ identifier: Buffer.from(url.host), password: Buffer.from("p"), kind: "WEBHDFS delegation", service: "x" },
  });
  return url.searchParams.get("op") === "GETDELEGATIONTOKEN" ? { json: { Token: { urlString: text } } } : {};
}

function obtain(
  fileSystems: readonly string[],
  respond: (request: TestRequest) => TestResponse = issue,
  more: { unrenewed?: readonly string[]; known?: readonly string[]; conf?: Readonly<Record<string, string>> } = {},
) {
  const addresses: Readonly<Record<string, readonly string[]>> = { nn3: ["::1", "10.0.0.3"] };
  const host = testHost({ network: { lookUp: async (name) => addresses[name] ?? [] } });
  const { connections, requests } = testWeb(respond);
  const conf = hadoopConf(new Map(Object.entries({ ...site, ...more.conf })), { env: {}, system: {} });
  const user = { name: "ann", proxied: "bob", authentication: "kerberos" } as const;
  const obtained = obtainTokens(host, {
    ...{ log: () => {}, conf, access: { user, connections }, fileSystems, renewer: "rm/h@R" },
    ...{ unrenewed: more.unrenewed ?? [], known: new Set(more.known) },
  });
  return { obtained: host.settle(obtained), lines: () => requests.map(({ line }) => line) };
}

describe("delegation tokens", () => {
  test("are requested from each HDFS once, with the service under which clients look for them", async () => {
    const { obtained, lines } = obtain([
      ...["hdfs://ns", "hdfs://nn3:8021/a", "hdfs://nn3:8021/b", "webhdfs://nn3", "swebhdfs://ns/x"],
      ...["file:///tmp", "s3a://bucket/"],
    ]);
    const { tokens } = await obtained;
    expect([...tokens].map(([alias, { kind, service }]) => [alias, kind, service])).toEqual([
      ["ha-hdfs:ns", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns"],
      ["10.0.0.3:8021", "HDFS_DELEGATION_TOKEN", "10.0.0.3:8021"],
      ["10.0.0.3:9870", "WEBHDFS delegation", "10.0.0.3:9870"],
      ["ha-swebhdfs:ns", "SWEBHDFS delegation", "ha-swebhdfs:ns"],
    ]);
    expect(lines()[0]).toBe(
      "GET http://nn1:9870/webhdfs/v1/?op=GETDELEGATIONTOKEN&renewer=rm%2Fh%40R&kind=HDFS_DELEGATION_TOKEN&service=ha-hdfs%3Ans&doas=bob",
    );
    expect(lines()).toHaveLength(4);
  });

  test("come from the active name node of two", async () => {
    const standby = { status: 403, json: { RemoteException: { exception: "StandbyException", message: "no" } } };
    const { obtained } = obtain(["hdfs://ns"], (request) =>
      request.url.hostname === "nn1" ? standby : issue(request),
    );
    const { tokens } = await obtained;
    expect(Buffer.from(tokens.get("ha-hdfs:ns")?.identifier ?? []).toString()).toBe("nn2:9870");
  });

  test("have no renewer if YARN cannot renew them, and the host's name as the service if the configuration says so", async () => {
    const conf = { "hadoop.security.token.service.use_ip": "false" };
    const { obtained, lines } = obtain(["hdfs://nn3"], issue, { unrenewed: ["nn3"], conf });
    expect([...(await obtained).tokens.keys()]).toEqual(["nn3:8020"]);
    expect(lines()[0]).not.toContain("renewer");
  });

  test("that the user has already are not requested", async () => {
    const { obtained, lines } = obtain(["hdfs://ns"], issue, { known: ["ha-hdfs:ns"] });
    expect((await obtained).tokens.size).toBe(0);
    expect(lines()).toEqual([]);
  });

  test("are cancelled on request", async () => {
    const { obtained, lines } = obtain(["hdfs://ns"]);
    await (await obtained).cancel();
    expect(lines()[1]).toMatch(
      /^PUT http:\/\/nn1:9870\/webhdfs\/v1\/\?op=CANCELDELEGATIONTOKEN&token=[\w-]+&doas=bob$/,
    );
  });

  test("are cancelled if a further one is not issued", async () => {
    const denied = { status: 403, json: { RemoteException: { exception: "AccessControlException", message: "no" } } };
    const { obtained, lines } = obtain(["hdfs://ns", "hdfs://nn3"], (request) =>
      request.url.hostname === "nn3" ? denied : issue(request),
    );
    await expect(obtained).rejects.toMatchObject({ code: "SUBMIT_ERR_HADOOP_REJECTED" });
    expect(lines().at(-1)).toContain("http://nn1:9870/webhdfs/v1/?op=CANCELDELEGATIONTOKEN");
  });

  test.each([
    [{ json: { Token: null } }, "the response has no token; a name node without Kerberos issues none"],
    [{ json: { Token: { urlString: "AAAA" } } }, "it ends too early"],
  ])("are an error if the response is %j", async (response, message) => {
    await expect(obtain(["hdfs://ns"], () => response).obtained).rejects.toThrow(message);
  });
});
