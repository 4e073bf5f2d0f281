import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestHdfs } from "../staging/hdfs/webhdfs-server.ts";
import { apiNamespaces } from "./api-namespaces.ts";
import { serve } from "./file-server.ts";
import { dataOf, localizedRemoteFiles } from "./localize-objects.ts";
import { run, temporaryDirectory } from "./programs.ts";

const fetched = ["--conf", "spark.firesteel.staging.remoteFiles=initContainer"];

describe("remote files that the init container fetches", { timeout: 120_000 }, () => {
  const api = apiNamespaces("remote");

  /** Starts an HDFS of two NameNodes, of which one does not exist, and a web server. */
  async function startServers() {
    const hdfs = await startTestHdfs();
    onTestFinished(() => hdfs.close());
    const web = await serve((request, response) => response.end(`content of ${request.url}`));
    const property = (name: string, value: string) =>
      `<property><name>${name}</name><value>${value}</value></property>`;
    const conf = temporaryDirectory();
    const site = [
      property("dfs.nameservices", "ns1"),
      property("dfs.ha.namenodes.ns1", "a,b"),
      property("dfs.namenode.http-address.ns1.a", "127.0.0.1:9"),
      property("dfs.namenode.http-address.ns1.b", hdfs.address),
    ];
    writeFileSync(join(conf, "hdfs-site.xml"), `<configuration>${site.join("")}</configuration>`);
    const base = `http://${hdfs.address}/webhdfs/v1`;
    const put = (path: string, text: string) =>
      fetch(`${base}${encodeURI(path)}?op=CREATE&overwrite=true&datanode=`, { method: "PUT", body: text });
    return { hdfs, web, put, env: { HADOOP_CONF_DIR: conf, HADOOP_USER_NAME: "ann" } };
  }

  test("get the credentials of the submission, which only a Secret contains", async () => {
    const { hdfs, web, put, env } = await startServers();
    await put("/apps/my job.py", "print(1)");
    await put("/apps/util.jar", "jar");
    const { args, objects } = await api.create();
    const secretUrl = `${web.url.replace("//", "//me:secret@")}/conf.json?key=s3cret`;
    const submission = [
      ...[...args, ...fetched, "--jars", "hdfs://ns1/apps/util.jar", "--files", `${secretUrl},local:///opt/x`],
      "hdfs://ns1/apps/my%20job.py",
    ];
    // A name with a space is not one that every program can use.
    const rejected = await run("spark-submit", submission, { env });
    expect(rejected.stderr).toContain("the name my job.py is not allowed");
    await put("/apps/job.py", "print(1)");
    const outcome = await run("spark-submit", [...submission.slice(0, -1), "hdfs://ns1/apps/job.py"], { env });
    expect(outcome).toMatchObject({ exit: 0 });
    expect(outcome.stderr).toContain(`the init container fetches hdfs://ns1/apps/util.jar, ${web.url}/conf.json`);
    const found = await objects();
    const openly = JSON.stringify(found.filter(({ kind }) => kind !== "Secret")) + outcome.stderr;
    for (const secret of ["s3cret", "me:secret", "user.name=ann"])
      expect(openly.replaceAll(secretUrl, "")).not.toContain(secret);
    const properties = dataOf(found, "ConfigMap", "spark.properties");
    expect(properties).toContain("spark.jars=file\\:///opt/spark-deps/jars/util.jar");
    expect(properties).toContain("spark.files=file\\:///opt/spark-deps/files/conf.json,local\\:///opt/x");
    expect(JSON.stringify(found)).toContain("file:///opt/spark-deps/pyfiles/job.py");
    const directory = await localizedRemoteFiles(found);
    const read = (path: string) => readFileSync(join(directory, path), "utf8");
    expect([read("jars/util.jar"), read("pyfiles/job.py")]).toEqual(["jar", "print(1)"]);
    expect(read("files/conf.json")).toBe("content of /conf.json?key=s3cret");
    expect(hdfs.operations).toContain("OPEN /apps/util.jar ann");
  });

  test("are fetched beside local files, through the proxy of the driver's environment", async () => {
    const { web, env } = await startServers();
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "own.txt"), "own");
    const { args } = await api.create();
    const settings = [
      "spark.firesteel.staging.transport=server",
      `spark.firesteel.staging.server=${web.url}`,
      "spark.kubernetes.driverEnv.HTTPS_PROXY=http://proxy:3128",
      "spark.kubernetes.driverEnv.OTHER=1",
    ];
    const all = [...args, ...fetched, ...settings.flatMap((setting) => ["--conf", setting])];
    const rendered = await run(
      "firesteel",
      ["render", ...all, "--files", `own.txt,${web.url}/b.txt`, "local:///a.py"],
      {
        ...{ cwd, env },
      },
    );
    expect(rendered).toMatchObject({ exit: 0 });
    expect(rendered.stdout).toContain(`# Fetched by the init container: ${web.url}/b.txt`);
    expect(rendered.stdout).toMatch(/env:\n\s+- name: HTTPS_PROXY\n\s+value: http:\/\/proxy:3128\n\s+image/);
    expect(rendered.stdout).toContain('"kind": "bundle"');
    expect(rendered.stdout).toContain('"urlsFile": "/etc/firesteel-localize/remote-urls.json"');
  });

  test("must exist before anything is created: SUBMIT_ERR_STAGING_REMOTE_FILE", async () => {
    const { put, env } = await startServers();
    await put("/directory/a", "x");
    const { args, objects } = await api.create();
    const submit = (uri: string) =>
      run("spark-submit", [...args, ...fetched, "--files", uri, "local:///a.py"], { env });
    expect((await submit("hdfs://ns1/absent")).stderr).toContain(
      "The init container cannot fetch hdfs://ns1/absent: the file does not exist",
    );
    expect((await submit("hdfs://ns1/directory")).stderr).toContain("it is a directory");
    expect((await objects()).filter(({ kind }) => kind === "Pod" || kind === "ConfigMap")).toEqual([]);
  });
});
