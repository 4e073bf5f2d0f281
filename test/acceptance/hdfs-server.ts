import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./programs.ts";

/** Starts a server for one test and returns its address. */
export async function serverOf(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

/** Starts an HDFS with two NameNodes, of which the second is active, and one DataNode. Contents are texts of one character per byte. */
export async function startHdfs() {
  const files = new Map<string, string>();
  const users = new Set<string>();
  const dataNode = await serverOf((request, response) => {
    let body = "";
    request.setEncoding("latin1");
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      files.set(new URL(request.url ?? "", "http://h").pathname, body);
      response.writeHead(201).end();
    });
  });
  const standby = await serverOf((request, response) => {
    request.resume();
    const message = "Operation category WRITE is not supported in state standby";
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ RemoteException: { exception: "StandbyException", message } }));
  });
  const active = await serverOf((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? "", "http://h");
    const path = decodeURIComponent(pathname.replace("/webhdfs/v1", ""));
    users.add(searchParams.get("user.name") ?? "");
    const json = (value: unknown) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    switch (searchParams.get("op")) {
      case "CREATE":
        return json({ Location: `http://${dataNode}${encodeURI(path)}` });
      case "DELETE":
        for (const name of [...files.keys()]) if (decodeURI(name).startsWith(path)) files.delete(name);
        return json({ boolean: true });
      case "GETFILESTATUS":
        return void response.writeHead(404).end();
      default:
        return json({ boolean: true });
    }
  });
  const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`;
  const directory = temporaryDirectory();
  const site = [
    property("dfs.nameservices", "ns1"),
    property("dfs.ha.namenodes.ns1", "a,b"),
    property("dfs.namenode.http-address.ns1.a", standby),
    property("dfs.namenode.http-address.ns1.b", active),
  ];
  writeFileSync(join(directory, "hdfs-site.xml"), `<configuration>${site.join("")}</configuration>`);
  return { files, users, env: { HADOOP_CONF_DIR: directory, HADOOP_USER_NAME: "ann" }, active };
}
