import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { printTokenText } from "../values/delegation-token.ts";
import { type TestRequest, type TestResponse, testWeb } from "./test-web.ts";
import { openWebHdfs } from "./webhdfs.ts";

const servers = ["http://nn1:9870", "http://nn2:9870"];

function open(respond: (request: TestRequest) => TestResponse, more: { proxied?: string } = {}) {
  const host = testHost({ files: { "/a.jar": "jar" } });
  const web = testWeb(respond);
  const address = { uri: "hdfs://ns", servers };
  const user = { name: "ann", ...more };
  const hdfs = openWebHdfs(host, { address, user, connections: web.connections });
  return { host, hdfs, requests: web.requests, lines: () => web.requests.map(({ line }) => line) };
}

const standby = {
  status: 403,
  json: { RemoteException: { exception: "StandbyException", message: "not here" } },
};

describe("HDFS by WebHDFS", () => {
  test("returns the home directory, creates directories, reads the status of files and removes them", async () => {
    const { hdfs, lines } = open(({ url }) => {
      const op = url.searchParams.get("op");
      if (op === "GETHOMEDIRECTORY") return { json: { Path: "/user/ann" } };
      if (op === "GETFILESTATUS" && url.pathname.endsWith("none")) return { status: 404 };
      if (op === "GETFILESTATUS")
        return {
          json: {
            FileStatus: { type: "FILE", length: 3, modificationTime: 5, permission: "644", owner: "ann" },
          },
        };
      return { json: { boolean: true } };
    });
    expect(await hdfs.homeDirectory()).toBe("/user/ann");
    await hdfs.makeDirectory("/user/ann/a b", "700");
    await hdfs.setPermission("/x", "755");
    expect(await hdfs.status("/x")).toEqual({
      ...{ kind: "file", sizeBytes: 3, modifiedMs: 5, permission: "644", owner: "ann" },
    });
    expect(await hdfs.status("/none")).toBeUndefined();
    expect(await hdfs.remove("/x")).toBe(true);
    expect(lines()).toEqual([
      "GET http://nn1:9870/webhdfs/v1/?op=GETHOMEDIRECTORY&user.name=ann",
      "PUT http://nn1:9870/webhdfs/v1/user/ann/a%20b?op=MKDIRS&permission=700&user.name=ann",
      "PUT http://nn1:9870/webhdfs/v1/x?op=SETPERMISSION&permission=755&user.name=ann",
      "GET http://nn1:9870/webhdfs/v1/x?op=GETFILESTATUS&user.name=ann",
      "GET http://nn1:9870/webhdfs/v1/none?op=GETFILESTATUS&user.name=ann",
      "DELETE http://nn1:9870/webhdfs/v1/x?op=DELETE&recursive=true&user.name=ann",
    ]);
  });

  test("reads from the DataNode that the NameNode names, at an offset, and from another one when it fails", async () => {
    const { hdfs, lines } = open(({ url }) => {
      if (url.pathname.endsWith("none")) return { status: 404 };
      const excluded = url.searchParams.get("excludedatanodes");
      if (url.hostname === "nn1")
        return { json: { Location: `http://${excluded === null ? "dn1" : "dn2"}:9864/x?op=OPEN&offset=2` } };
      return url.hostname === "dn1" ? "ECONNREFUSED" : { text: "rest" };
    });
    const opened = await hdfs.open("/x", { offset: 2 });
    const chunks = [];
    for await (const chunk of opened?.body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe("rest");
    expect(await hdfs.open("/none")).toBeUndefined();
    expect(lines()).toEqual([
      "GET http://nn1:9870/webhdfs/v1/x?op=OPEN&offset=2&noredirect=true&user.name=ann",
      "GET http://dn1:9864/x?op=OPEN&offset=2",
      "GET http://nn1:9870/webhdfs/v1/x?op=OPEN&offset=2&noredirect=true&excludedatanodes=dn1%3A9864&user.name=ann",
      "GET http://dn2:9864/x?op=OPEN&offset=2",
      "GET http://nn1:9870/webhdfs/v1/none?op=OPEN&offset=0&noredirect=true&user.name=ann",
    ]);
  });

  test("renames paths and changes their modification times, unless they do not exist", async () => {
    const { hdfs, lines } = open(({ url }) => {
      if (url.pathname.endsWith("none")) return { status: 404 };
      return { json: { boolean: url.searchParams.get("destination") === "/free" } };
    });
    expect(await hdfs.rename("/x", "/free")).toBe(true);
    expect(await hdfs.rename("/x", "/taken")).toBe(false);
    expect(await hdfs.rename("/none", "/free")).toBe(false);
    expect([await hdfs.setModified("/x", 5), await hdfs.setModified("/none", 5)]).toEqual([true, false]);
    expect(lines()[0]).toBe("PUT http://nn1:9870/webhdfs/v1/x?op=RENAME&destination=%2Ffree&user.name=ann");
    expect(lines()[3]).toBe("PUT http://nn1:9870/webhdfs/v1/x?op=SETTIMES&modificationtime=5&user.name=ann");
  });

  test("returns the URLs of a content at all NameNodes, for the user and the user that it acts for", () => {
    const { hdfs } = open(() => "ECONNREFUSED", { proxied: "bob" });
    expect(hdfs.contentUrls("/a b")).toEqual(
      servers.map((server) => `${server}/webhdfs/v1/a%20b?op=OPEN&user.name=ann&doas=bob`),
    );
  });

  test("returns the URLs of a content with a delegation token, and then without users", () => {
    const { hdfs } = open(() => "ECONNREFUSED", { proxied: "bob" });
    const token = { identifier: Buffer.from("i"), password: Buffer.from("p"), kind: "k", service: "s" };
    const text = printTokenText(token);
    expect(hdfs.contentUrls("/a", token)).toEqual(
      servers.map((server) => `${server}/webhdfs/v1/a?op=OPEN&delegation=${text}`),
    );
  });

  test("writes to the DataNode that the NameNode names, in JSON or by a redirect", async () => {
    for (const named of [
      { json: { Location: "http://dn1:9864/webhdfs/v1/x?op=CREATE&user.name=ann" } },
      { status: 307, headers: { location: "http://dn1:9864/webhdfs/v1/x?op=CREATE&user.name=ann" } },
    ]) {
      const { hdfs, requests, lines } = open(({ url }) => (url.hostname === "nn1" ? named : { status: 201 }));
      await hdfs.create({ path: "/x", content: { path: "/a.jar", offset: 0, size: 3 }, replication: 3 });
      expect(lines()).toEqual([
        "PUT http://nn1:9870/webhdfs/v1/x?op=CREATE&overwrite=true&permission=644&replication=3&noredirect=true&user.name=ann",
        "PUT http://dn1:9864/webhdfs/v1/x?op=CREATE&user.name=ann",
      ]);
      expect(requests.map(({ body }) => Buffer.from(body).toString())).toEqual(["", "jar"]);
      expect(requests[1]?.headers).toMatchObject({
        "content-length": 3,
        "content-type": "application/octet-stream",
      });
    }
  });

  test("excludes an unreachable DataNode, until too many are unreachable", async () => {
    let count = 0;
    const respond = (working: number) => (request: TestRequest) => {
      if (request.url.hostname !== "nn1")
        return request.url.hostname === `dn${working}` ? { status: 201 } : "ECONNREFUSED";
      count += 1;
      return { json: { Location: `http://dn${count}:9864/x` } };
    };
    const { hdfs, lines } = open(respond(2));
    await hdfs.create({ path: "/x", content: Buffer.from("x") });
    expect(lines()[2]).toContain("&excludedatanodes=dn1%3A9864&");
    count = 0;
    await expect(open(respond(9)).hdfs.create({ path: "/x", content: Buffer.from("x") })).rejects.toMatchObject({
      code: "SUBMIT_ERR_HADOOP_UNREACHABLE",
      message:
        "Cannot write hdfs://ns/x: no server was reached: dn1:9864, dn2:9864, dn3:9864, dn4:9864: connect ECONNREFUSED dn4:9864",
    });
  });

  test("rejects an unencrypted DataNode when NameNodes use encryption", async () => {
    const web = testWeb(({ url }) =>
      url.protocol === "https:" ? { json: { Location: "http://dn1:9864/x" } } : { status: 201 },
    );
    const address = { uri: "hdfs://ns", servers: ["https://nn1:9871"] };
    const hdfs = openWebHdfs(testHost(), { address, user: { name: "ann" }, connections: web.connections });
    const upload = { path: "/x", content: Buffer.from("secret"), replication: 3 };
    await expect(hdfs.create(upload)).rejects.toThrow("a DataNode without encryption: http://dn1:9864");
    expect(web.requests.filter(({ url }) => url.protocol === "http:")).toEqual([]);
  });

  test("reports a DataNode's rejection and a missing location", async () => {
    const full = {
      status: 403,
      json: { RemoteException: { exception: "DSQuotaExceededException", message: "full\nat x" } },
    };
    const { hdfs } = open(({ url }) => (url.hostname === "nn1" ? { json: { Location: "http://dn1/x" } } : full));
    await expect(hdfs.create({ path: "/x", content: Buffer.from("x") })).rejects.toMatchObject({
      code: "SUBMIT_ERR_HADOOP_REJECTED",
      message: "http://dn1 rejected the request to write hdfs://ns/x: DSQuotaExceededException: full",
    });
    await expect(open(() => ({ json: {} })).hdfs.create({ path: "/x", content: Buffer.from("x") })).rejects.toThrow(
      "it named no DataNode",
    );
  });

  test("finds the active NameNode and calls it first from then on", async () => {
    const { hdfs, lines } = open(({ url }) => (url.hostname === "nn1" ? standby : { json: { boolean: false } }));
    expect(await hdfs.remove("/x")).toBe(false);
    expect(await hdfs.remove("/y")).toBe(false);
    expect(lines().map((line) => line.slice(7, 17))).toEqual(["http://nn1", "http://nn2", "http://nn2"]);
  });

  test("retries two standby NameNodes for half a minute", async () => {
    const { hdfs, host, requests } = open(() => standby);
    const removing = hdfs.remove("/x");
    const refused = expect(removing).rejects.toMatchObject({
      code: "SUBMIT_ERR_HADOOP_UNREACHABLE",
      message: `Cannot remove hdfs://ns/x: no server was reached: ${servers.join(", ")}: http://nn1:9870 responded with StandbyException: not here`,
    });
    await host.settle(removing.catch(() => {}));
    await refused;
    expect(requests.length).toBeGreaterThan(8);
  });

  test("reports a rejection with the server's message and does not retry it", async () => {
    const denied = {
      status: 403,
      json: { RemoteException: { exception: "AccessControlException", message: "no" } },
    };
    const { hdfs, requests } = open(() => denied);
    await expect(hdfs.makeDirectory("/x", "700")).rejects.toMatchObject({
      code: "SUBMIT_ERR_HADOOP_REJECTED",
      message: "http://nn1:9870 rejected the request to make hdfs://ns/x: AccessControlException: no",
    });
    expect(requests).toHaveLength(1);
    await expect(open(() => ({ text: "<html>" })).hdfs.status("/x")).rejects.toThrow("no JSON: the response is <html>");
    await expect(open(() => ({ json: {} })).hdfs.status("/x")).rejects.toThrow("the response has no FileStatus");
  });

  test.each([
    ["SafeModeException", "Name node is in safe mode.", "-safemode wait"],
    ["DSQuotaExceededException", "The DiskSpace quota of /x is exceeded", "dfs -count -q"],
    ["AuthorizationException", "User: ann is not allowed to impersonate bob", "hadoop.proxyuser"],
    ["AccessControlException", "Permission denied", "HADOOP_USER_NAME"],
  ])("%s comes with what to do about it", async (exception, message, hint) => {
    const respond = { status: 403, json: { RemoteException: { exception, message } } };
    await expect(open(() => respond).hdfs.status("/x")).rejects.toMatchObject({
      issues: [{ hint: expect.stringContaining(hint) }],
    });
  });

  test("rejects a server that requires Kerberos", async () => {
    const secured = {
      status: 401,
      headers: { "www-authenticate": "Negotiate" },
      text: "<title>Error 401</title>",
    };
    await expect(open(() => secured).hdfs.status("/x")).rejects.toMatchObject({
      code: "SUBMIT_ERR_HADOOP_SECURED",
      message: expect.stringContaining("(Negotiate)"),
    });
  });

  test("sends the proxied user", async () => {
    const { hdfs, lines } = open(() => ({ json: { Path: "/user/bob" } }), { proxied: "bob" });
    await hdfs.homeDirectory();
    expect(lines()[0]).toMatch(/&user\.name=ann&doas=bob$/);
  });
});
