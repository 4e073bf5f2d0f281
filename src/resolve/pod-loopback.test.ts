import { expect, test } from "vitest";
import { isPodLoopback, loopbackWarnings, withMachineName } from "./pod-loopback.ts";

function settingsOf(settings: Readonly<Record<string, string>>) {
  return new Map(
    Object.entries(settings).map(([key, value]) => [
      key,
      { key, value, origin: { kind: "client", why: "test" } as const },
    ]),
  );
}

const name = "host.firesteel.internal";
const server = "spark.firesteel.staging.server";

/** Returns the added settings. */
function added(settings: Readonly<Record<string, string>>) {
  const completed = [...withMachineName(settingsOf(settings), name).values()];
  return completed.filter(({ key }) => !(key in settings)).map(({ key, value }) => [key, value]);
}

test("pods get the name of this machine for a staging server and a bucket at its 127.0.0.1", () => {
  expect(added({ [server]: "http://127.0.0.1:8080/base" })).toEqual([
    [`${server}.internalUrl`, `http://${name}:8080/base`],
  ]);
  expect(added({ "spark.kubernetes.resourceStagingServer.uri": "https://localhost" })).toEqual([
    [`${server}.internalUrl`, `https://${name}`],
  ]);
  expect(added({ "spark.firesteel.staging.s3.endpoint": "http://localhost:9000" })).toEqual([
    ["spark.firesteel.staging.s3.internalUrl", `http://${name}:9000`],
  ]);
});

test("other servers, specified addresses, and pods that share the network keep their addresses", () => {
  expect(added({ [server]: "http://127.0.1.1:8080" })).toEqual([]);
  expect(added({ [server]: "http://localhost.example:8080" })).toEqual([]);
  expect(added({ [server]: "http://localhost", [`${server}.internalUrl`]: "http://10.0.0.1" })).toEqual([]);
  const shared = settingsOf({ [server]: "http://localhost" });
  expect(withMachineName(shared, undefined)).toBe(shared);
});

test("warns about URLs that mean the pod itself, without their credentials", () => {
  const settings = settingsOf({
    "spark.hadoop.fs.s3a.endpoint": "http://user:secret@localhost:9000/x",
    "spark.jars": "https://repo.example/a.jar,http://127.0.0.1/b.jar",
    "spark.app.name": "localhost",
    [server]: "http://localhost:8080",
  });
  const warnings = loopbackWarnings(settings, name);
  expect(warnings).toEqual([
    `spark.hadoop.fs.s3a.endpoint has a URL with the host localhost, which in a pod is the pod itself. For a server on this machine, use ${name}.`,
    `spark.jars has a URL with the host 127.0.0.1, which in a pod is the pod itself. For a server on this machine, use ${name}.`,
  ]);
  expect(loopbackWarnings(settings, undefined)).toEqual([]);
});

test("knows the addresses of a pod's own loopback", () => {
  expect(["localhost", "127.0.0.1", "127.0.0.9", "::1", "[::1]"].map(isPodLoopback)).not.toContain(false);
  expect(["127.90.0.1", "127.0.1.1", "192.0.2.1", "localhost.example"].map(isPodLoopback)).not.toContain(true);
});
