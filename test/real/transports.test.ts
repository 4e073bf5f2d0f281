import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test } from "vitest";
import { type Outcome, run } from "../acceptance/programs.ts";
import { type Application, javaApplication, pythonApplication } from "../spark/application/application.ts";
import {
  expectAllOfJava,
  expectAllOfPython,
  prepare,
  type Row,
  requiredFor,
  rows,
  toConfArgs,
} from "../spark/application/transports.ts";
import { alone, startStaging } from "../staging/staging-program.ts";
import { describeWith, requires } from "../test-with.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const image = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
const initImage = process.env["FIRESTEEL_REAL_INIT_IMAGE"] ?? "";
const sparkHome = process.env["SPARK_HOME"] ?? "";

let namespace: RealNamespace;
/** Address at which pods reach this machine. */
let hostAddress = process.env["FIRESTEEL_REAL_HOST_ADDRESS"] ?? "";

beforeAll(async () => {
  namespace = await realNamespace(kubeconfig);
  if (hostAddress === "") hostAddress = await addressTowards(namespace.master.replace("k8s://", ""));
});

afterAll(async () => {
  await namespace?.remove();
});

/** Returns this machine's address toward a server, which pods of the cluster can usually reach. */
function addressTowards(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 443), hostname, () => {
      resolve(socket.localAddress ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

interface Submission {
  readonly settings: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

function submit({ directory, args }: Application, { settings, env = {} }: Submission): Promise<Outcome> {
  const all = {
    "spark.kubernetes.namespace": namespace.name,
    "spark.kubernetes.container.image": image,
    "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
    "spark.kubernetes.driver.request.cores": "100m",
    "spark.kubernetes.executor.request.cores": "100m",
    "spark.executor.instances": "1",
    ...(initImage === "" ? {} : { "spark.firesteel.staging.initContainer.image": initImage }),
    ...settings,
  };
  const before = ["--master", namespace.master, "--deploy-mode", "cluster", "--name", "carried"];
  return run("spark-submit", [...before, "--logs", "driver", ...toConfArgs(all), ...args], {
    cwd: directory,
    env: { ...env, KUBECONFIG: kubeconfig },
  });
}

/** Skips the test if a row cannot run here. */
function requireRow(row: Row, context: Pick<TestContext, "skip">): void {
  if (row.transport === "secret") return;
  if (initImage === "") context.skip("requires the option --init-image");
  const isByHost = row.transport !== "push";
  if (isByHost && /^(127\.|::1$)/.test(hostAddress)) context.skip("requires the option --host-address");
  requires(requiredFor(row))(context);
}

describeWith("a Java compiler")("T68, T69, T70: driver and executors have all specified files", {}, () => {
  test.for(rows)("in Python, by $transport, $mode", async (row, context) => {
    requireRow(row, context);
    expectAllOfPython(await submit(pythonApplication(), await prepare(row, hostAddress)), row.mode);
  });

  test("in Java, by push, driverServed", async (context) => {
    const row: Row = { transport: "push", mode: "driverServed" };
    requireRow(row, context);
    const outcome = await submit(javaApplication(sparkHome), await prepare(row, hostAddress));
    expectAllOfJava(outcome, row.mode);
  });
});

describeWith("a Java compiler")("T75: an init container that cannot download the files", {}, () => {
  /** Submits through a staging server that the pod queries at a different address. */
  async function submitWithInternalUrl(internalUrl: string): Promise<Outcome> {
    const { port } = await startStaging([...alone, "--host", hostAddress]);
    return submit(pythonApplication(), { settings: settingsOf(port, internalUrl) });
  }

  function settingsOf(port: number, internalUrl: string) {
    return {
      "spark.firesteel.staging.transport": "server",
      "spark.firesteel.staging.server": `http://${hostAddress}:${port}`,
      "spark.firesteel.staging.server.internalUrl": internalUrl,
      "spark.firesteel.staging.initContainer.timeout": "5s",
    };
  }

  const needed: Row = { transport: "server", mode: "driverServed" };

  test("reports that no server listens", async (context) => {
    requireRow(needed, context);
    const { exit, stderr } = await submitWithInternalUrl(`http://${hostAddress}:1`);
    expect(stderr).toMatch(/^Reason: The init container firesteel-localize ended with exit status 7: /m);
    expect(stderr).toMatch(/^Reason: .*Timed out after 5 s; last error: .*ECONNREFUSED/m);
    expect(exit).toBe(1);
  });

  test("reports an invalid token", async (context) => {
    requireRow(needed, context);
    const other = await startStaging([...alone, "--host", hostAddress]);
    const { exit, stderr } = await submitWithInternalUrl(`http://${hostAddress}:${other.port}`);
    expect(stderr).toMatch(/^Reason: .* ended with exit status 3: .*the server responded with 401/m);
    expect(exit).toBe(1);
  });

  test.for([
    {
      what: "they are not what was sent",
      change: (text: string) => text.replace("configured", "tampered!!"),
      reason: /^Reason: .* ended with exit status 5: .*conf\.json.*digest/m,
    },
    {
      what: "its volume is too small",
      change: (text: string) => text.replace(/"size":\d+/, '"size":9000000000000000'),
      reason: /^Reason: .* ended with exit status 6: .*The files need 9\d+ bytes; \d+ are available/m,
    },
  ])("reports $what", async ({ change, reason }, context) => {
    requireRow(needed, context);
    const { port } = await startStaging([...alone, "--host", hostAddress]);
    const settings = settingsOf(port, await changing(`http://${hostAddress}:${port}`, change));
    const { exit, stderr } = await submit(pythonApplication(), { settings });
    expect(stderr).toMatch(reason);
    expect(exit).toBe(1);
  });
});

/** Opens a proxy that changes downloads of pods. Returns its URL. */
async function changing(target: string, change: (text: string) => string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const passed = request(new URL(url ?? "/", target), { method: method ?? "GET", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
      response.on("end", () => {
        const body = Buffer.from(change(Buffer.concat(chunks).toString("latin1")), "latin1");
        const { "content-length": _, ...rest } = response.headers;
        outgoing.writeHead(response.statusCode ?? 500, rest).end(body);
      });
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, hostAddress, resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://${hostAddress}:${typeof address === "object" ? address?.port : address}`;
}
