import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, neverEndingStream, refused, testApi } from "../../kube-client/test-api.ts";
import { runBundleCommand } from "./bundle.ts";
import { runDiagnoseCommand } from "./diagnose.ts";

const container = "spark-kubernetes-driver";
const status = {
  phase: "Failed",
  containerStatuses: [
    {
      ...{ name: container, image: "spark:4.3.0", imageID: "", ready: false, restartCount: 1 },
      state: { terminated: { exitCode: 3, reason: "Error" } },
    },
  ],
};
const driver = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...{ name: "report-driver", namespace: "team-a", uid: "u", resourceVersion: "5" },
    labels: { "spark-role": "driver", "spark-app-selector": "spark-1", "spark-app-name": "report" },
  },
  spec: {
    containers: [{ name: container, image: "spark:4.3.0", env: [{ name: "API_TOKEN", value: "planted-secret" }] }],
  },
  status,
};
const events = {
  items: [
    {
      metadata: { name: "e1", uid: "e1" },
      involvedObject: { kind: "Pod", name: "report-driver" },
      ...{ reason: "Pulled", message: "pulled with planted-secret", lastTimestamp: "2026-01-01T00:00:00Z" },
    },
  ],
};

const served: Fault = ({ path, signal }) => {
  if (path.includes("watch=")) return { status: 200, stream: neverEndingStream(signal) };
  if (path.includes("/log?")) {
    const text = path.includes("previous") ? "the first run\n" : "uses planted-secret\nno input today\n";
    return { status: 200, body: path.includes("timestamps") ? text.replace(/^/gm, "2026-01-01T00:00:00Z ") : text };
  }
  if (path.includes("/events")) return { status: 200, body: events };
  if (path.endsWith("/pods/report-driver")) return { status: 200, body: driver };
  return undefined;
};

function machine(
  fault: Fault,
  host = testHost({ env: { HOME: "/home/tester" }, files: { "/tmp/x": "", "/out/x": "" } }),
) {
  const api = testApi(fault);
  const run = (command: typeof runBundleCommand, ...args: readonly string[]) =>
    host.settle(
      command(host, ["--master", "k8s://https://h", "-n", "team-a", ...args], async (_, { server }) =>
        kubeClient({
          ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
          log: () => {},
        }),
      ),
    );
  return { host, run };
}

async function unpack(bytes: Uint8Array | undefined) {
  const entries = await unpackTar(gunzipSync(bytes ?? new Uint8Array()));
  return Object.fromEntries(entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString("utf8")]));
}

describe("firesteel bundle", () => {
  test("saves pods, logs, events and diagnosis in one file without secrets, which diagnose reads with the same result", async () => {
    const { host, run } = machine(served);
    expect(await run(runBundleCommand, "report-driver", "-o", "/out/b.tar.gz", "--json")).toBe(0);
    expect(JSON.parse(host.outText())).toMatchObject({
      ...{ path: "/out/b.tar.gz", version: 1, missing: [] },
      application: { id: "spark-1", name: "report", namespace: "team-a", driver: "report-driver", phase: "Failed" },
    });
    const bytes = host.files.readBytes("/out/b.tar.gz");
    const files = await unpack(bytes);
    expect(Object.keys(files)).toEqual([
      ...["bundle.json", "record.json", "diagnosis.json", "events.json", "pods/report-driver.json"],
      `logs/report-driver/${container}.log`,
      `logs/report-driver/${container}.previous.log`,
    ]);
    expect(files[`logs/report-driver/${container}.log`]).toBe("uses *********(redacted)\nno input today\n");
    expect(files[`logs/report-driver/${container}.previous.log`]).toBe("the first run\n");
    expect(JSON.stringify(files)).not.toContain("planted-secret");
    expect(host.files.list("/out")).toEqual(["b.tar.gz", "x"]);

    const live = machine(served);
    await live.run(runDiagnoseCommand, "report-driver");
    const offline = testHost({ files: { "/b/x": "" } });
    offline.files.write("/b/b.tar.gz", bytes ?? "");
    expect(await runDiagnoseCommand(offline, ["/b/b.tar.gz"])).toBe(0);
    expect(offline.outText()).toBe(live.host.outText());
    expect(offline.outText()).toContain("The application exited with code 3.");

    for (const [name, text] of Object.entries(files)) {
      if (!name.includes("/")) offline.files.write(`/b/${name}`, text);
    }
    const unpacked = testHost({
      files: { "/b/bundle.json": files["bundle.json"] ?? "", "/b/record.json": files["record.json"] ?? "" },
    });
    await runDiagnoseCommand(unpacked, ["/b/"]);
    expect(unpacked.outText()).toBe(live.host.outText());
  });

  test("is made without the permission to read logs, events and executors, and lists what is missing", async () => {
    const { host, run } = machine((request, number) =>
      /\/log\?|\/events|labelSelector/.test(request.path) ? refused(403, "forbidden") : served(request, number),
    );
    expect(await run(runBundleCommand, "report-driver", "-o", "/out/b.tar.gz")).toBe(0);
    const manifest = JSON.parse((await unpack(host.files.readBytes("/out/b.tar.gz")))["bundle.json"] ?? "");
    expect(manifest.missing.map(({ what }: { what: string }) => what)).toEqual(["executors", "events", "logs"]);
    expect(host.outText()).toContain("Saved 1 pods and 0 logs in /out/b.tar.gz\nMissing: executors. ");
  });

  test("fails on a full disk with the path and the reason, and leaves no file", async () => {
    const { host, run } = machine(served);
    const { files } = host;
    const full = {
      ...host,
      files: {
        ...files,
        append: () => {
          throw new Error("ENOSPC: no space left on device");
        },
      },
    };
    const failing = machine(served, full);
    await expect(failing.run(runBundleCommand, "report-driver", "-o", "/out/b.tar.gz")).rejects.toMatchObject({
      code: "SUBMIT_ERR_BUNDLE_TARGET",
      message: "Cannot write the bundle to /out/b.tar.gz: ENOSPC: no space left on device.",
    });
    expect(files.list("/out")).toEqual(["x"]);
    expect(files.list("/tmp")).toEqual(["x"]);
    expect(await run(runBundleCommand, "--help")).toBe(0);
  });
});

describe("firesteel diagnose BUNDLE", () => {
  const read = (files: Readonly<Record<string, string>>, path: string) =>
    runDiagnoseCommand(testHost({ files }), [path]);

  test.each([
    [{}, "/b.tar.gz", "the file does not exist"],
    [{ "/b.tar.gz": "no archive" }, "/b.tar.gz", "incorrect header check"],
    [{ "/b/x": "" }, "/b/", "it has no file bundle.json"],
    [{ "/b/bundle.json": "{" }, "/b/", "bundle.json has no version"],
    [{ "/b/bundle.json": '{"version":2}' }, "/b/", "its version is 2, and this program knows 1"],
    [{ "/b/bundle.json": '{"version":1}' }, "/b/", "it has no file record.json"],
  ])("%#: rejects another file with the reason", async (files, path, reason) => {
    await expect(read(files, path)).rejects.toMatchObject({
      code: "SUBMIT_ERR_BUNDLE",
      message: `${path} is not a readable bundle of an application: ${reason}.`,
    });
  });
});
