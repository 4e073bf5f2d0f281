import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { printHadoopXml } from "../values/hadoop-xml.ts";
import { hdfsAddressOf } from "./name-nodes.ts";
import { hadoopDirectories, readHadoopConf } from "./read-hadoop-conf.ts";

const xml = (properties: Readonly<Record<string, string>>) => printHadoopXml(Object.entries(properties));

function read(files: Readonly<Record<string, string>>, overrides: Readonly<Record<string, string>> = {}) {
  const host = testHost({ files, env: { HADOOP_CONF_DIR: "/h", YARN_CONF_DIR: "/y", HADOOP_HOME: "" } });
  const directories = hadoopDirectories(host);
  return readHadoopConf(host, { directories, overrides: new Map(Object.entries(overrides)) });
}

function confOf(properties: Readonly<Record<string, string>>) {
  const conf = read({ "/h/core-site.xml": xml(properties) });
  if (!conf.ok) throw new Error("no configuration");
  return conf.value;
}

test("the first directory with a file and the overrides win", () => {
  const conf = read(
    {
      "/h/core-site.xml": xml({ a: "h", b: "${user.name}" }),
      "/y/core-site.xml": xml({ a: "y" }),
      "/y/yarn-site.xml": xml({ y: "1", z: "1" }),
    },
    { z: "2" },
  );
  expect(conf.ok && conf.value.entries()).toEqual([
    ["a", "h"],
    ["b", "${user.name}"],
    ["y", "1"],
    ["z", "2"],
  ]);
  expect(conf.ok && conf.value.get("b")).toBe("tester");
});

test("a final property is kept, and files are included from the same directory", () => {
  const conf = read({
    "/h/core-site.xml":
      '<configuration><include href="more.xml"/><xi:include href="none.xml"><xi:fallback/></xi:include></configuration>',
    "/h/more.xml": '<configuration><property name="a" value="1" final="true"/></configuration>',
    "/h/yarn-site.xml": xml({ a: "2" }),
  });
  expect(conf.ok && conf.value.get("a")).toBe("1");
});

test("every unreadable file is reported", () => {
  const conf = read({
    "/h/core-site.xml": "<configuration>",
    "/h/hdfs-site.xml": '<configuration><include href="hdfs-site.xml"/></configuration>',
    "/h/yarn-site.xml": '<configuration><include href="none.xml"/></configuration>',
  });
  expect(conf).toMatchObject({
    ok: false,
    issues: [
      {
        code: "SUBMIT_ERR_HADOOP_CONF",
        message: "Cannot read the Hadoop configuration in /h/core-site.xml: <configuration> is not closed.",
      },
      { message: "Cannot read the Hadoop configuration in /h/hdfs-site.xml: it includes itself." },
      { message: "Cannot read the Hadoop configuration in /h/none.xml: No such file or directory." },
    ],
  });
});

test("a nameservice has the servers of its NameNodes", () => {
  const conf = confOf({
    "fs.defaultFS": "hdfs://ns",
    "dfs.nameservices": "ns",
    "dfs.ha.namenodes.ns": "n1,n2",
    "dfs.namenode.http-address.ns.n1": "h1:50070",
    "dfs.namenode.rpc-address.ns.n2": "h2:8020",
  });
  const servers = ["http://h1:50070", "http://h2:9870"];
  expect(hdfsAddressOf("hdfs://ns/x", conf)).toEqual({ ok: true, value: { uri: "hdfs://ns", servers } });
  expect(hdfsAddressOf("hdfs:///x", conf)).toEqual({ ok: true, value: { uri: "hdfs://ns", servers } });
});

test("a host has the configured port, or the default one", () => {
  const usual = confOf({ "fs.defaultFS": "hdfs://h:8020" });
  const configured = confOf({ "fs.defaultFS": "hdfs://h:8020", "dfs.namenode.http-address": "0.0.0.0:5007" });
  const secure = confOf({ "dfs.http.policy": "HTTPS_ONLY" });
  const serversOf = (uri: string, conf = usual) => {
    const found = hdfsAddressOf(uri, conf);
    return found.ok ? found.value.servers : found.issues;
  };
  expect(serversOf("hdfs://h:8020/x")).toEqual(["http://h:9870"]);
  expect(serversOf("hdfs://h:8020/x", configured)).toEqual(["http://h:5007"]);
  expect(serversOf("hdfs://other:8020/x", configured)).toEqual(["http://other:5007"]);
  expect(serversOf("hdfs://h/x", secure)).toEqual(["https://h:9871"]);
  expect(serversOf("webhdfs://h:1234/x")).toEqual(["http://h:1234"]);
  expect(serversOf("swebhdfs://h/x")).toEqual(["https://h:9871"]);
});

test("other file systems and HDFS without WebHDFS are rejected with the reason", () => {
  expect(hdfsAddressOf("s3a://b/x", confOf({}))).toMatchObject({
    issues: [{ code: "SUBMIT_ERR_HADOOP_FILE_SYSTEM", message: expect.stringContaining("of s3a://b/x") }],
  });
  expect(hdfsAddressOf("hdfs:///x", confOf({}))).toMatchObject({
    issues: [{ message: expect.stringContaining("names a host") }],
  });
  expect(hdfsAddressOf("hdfs://h/x", confOf({ "dfs.webhdfs.enabled": "false" }))).toMatchObject({
    issues: [{ message: expect.stringContaining("dfs.webhdfs.enabled is false") }],
  });
});
