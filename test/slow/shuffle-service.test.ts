import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Outcome, start } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { hasPrinted } from "../spark/has-printed.ts";
import {
  idleExecutors,
  idleSettings,
  killExecutors,
  shuffleJob,
  shuffleJobSettings,
  waitingLine,
  waitUntilFile,
} from "../spark/shuffle-job.ts";
import { type ShuffleServiceProgram, startShuffleService } from "../spark/shuffle-service-program.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

const cluster = sparkCluster();

/** Events of the service after the executors of the first stage have ended. */
const events = {
  stays: async () => {},
  "ends by SIGTERM and starts again": (service) => restart(service, "SIGTERM"),
  "is killed and starts again": (service) => restart(service, "SIGKILL"),
  "is replaced during the second stage": async (service, goOn) => {
    const stopped = service.stop("SIGTERM");
    goOn();
    await stopped;
    await service.startAgain();
  },
} as const satisfies Readonly<Record<string, (service: ShuffleServiceProgram, goOn: () => void) => Promise<void>>>;

async function restart(service: ShuffleServiceProgram, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  await service.stop(signal);
  await service.startAgain();
}

// Each line, allocation, authentication and event occurs with each value of the others.
const jobs = [
  { line: "3.5", allocation: "static", secret: "none", event: "stays" },
  { line: "4.3", allocation: "dynamic", secret: "shared", event: "stays" },
  { line: "3.5", allocation: "static", secret: "perApplication", event: "ends by SIGTERM and starts again" },
  { line: "4.3", allocation: "dynamic", secret: "none", event: "ends by SIGTERM and starts again" },
  { line: "3.5", allocation: "dynamic", secret: "none", event: "is killed and starts again" },
  { line: "4.3", allocation: "static", secret: "perApplication", event: "is killed and starts again" },
  { line: "3.5", allocation: "dynamic", secret: "shared", event: "is replaced during the second stage" },
  { line: "4.3", allocation: "static", secret: "none", event: "is replaced during the second stage" },
] as const;

test.for(jobs)(
  "Spark $line, $allocation allocation, secret: $secret, the service $event: no map task runs twice",
  async ({ line, allocation, secret, event }, context) => {
    const spark = sparkOf(line);
    requires(spark)(context);
    const token = randomUUID();
    const secrets = await secretsOf[secret]({ line, token });
    const service = await startShuffleService({
      ...{ parent: cluster.directory, address: new URL(cluster.url()).hostname },
      ...{ properties: secrets.service, args: secrets.args },
    });
    const signals = publicDirectory();
    const isDynamic = allocation === "dynamic";
    const settings = [
      ...shuffleJobSettings,
      `spark.kubernetes.container.image=apache/spark:${available(spark).version}`,
      ...["spark.firesteel.shuffle=service", `spark.firesteel.shuffle.directories=${service.directory}`],
      `spark.shuffle.service.port=${service.port}`,
      ...(isDynamic ? idleSettings : ["spark.dynamicAllocation.enabled=false"]),
      ...secrets.application,
      ...mountSettings(signals),
    ];
    const job = shuffleJob(waitUntilFile(isDynamic ? idleExecutors : killExecutors, "/signals/go-on"));
    const goOn = () => writeFileSync(join(signals, "go-on"), "");
    const { exit, stdout, stderr } = await submitWithEvent({ job, settings, token }, async () => {
      await events[event](service, goOn);
      goOn();
    });
    expect(stdout, stderr).toMatch(/^ended True$/m);
    expect(stdout).toMatch(/^result True$/m);
    expect(stdout).toMatch(/^map tasks 4$/m);
    expect(stdout).toMatch(/^replaced True$/m);
    expect(exit).toBe(0);
  },
);

/** Makes a directory that all users of containers can read and write. */
function publicDirectory(): string {
  const directory = mkdtempSync(join(cluster.directory, "signals-"));
  chmodSync(directory, 0o777);
  return directory;
}

function mountSettings(directory: string): readonly string[] {
  const volume = "spark.kubernetes.driver.volumes.hostPath.signals";
  return [`${volume}.mount.path=/signals`, `${volume}.options.path=${directory}`];
}

/** Submits a job. Calls `onWaiting` once, when the job has printed `waitingLine`. */
async function submitWithEvent(
  { job, settings, token }: { readonly job: string; readonly settings: readonly string[]; readonly token: string },
  onWaiting: () => Promise<void>,
): Promise<Outcome> {
  const { child, ended } = start(
    "spark-submit",
    [
      ...[...tokenArgs(token), "--logs", "driver", ...settings.flatMap((setting) => ["--conf", setting])],
      cluster.file(`${token}.py`, job),
    ],
    { env: cluster.env(), cwd: cluster.directory },
  );
  if (await hasPrinted(child, waitingLine)) await onWaiting();
  return await ended;
}

const tokenArgs = (token: string) => [
  ...["--master", "k8s://embedded", "--deploy-mode", "cluster", "--submission-token", token],
];

interface Secrets {
  /** Properties of the service. */
  readonly service: readonly string[];
  /** Further arguments of the service. */
  readonly args: readonly string[];
  /** Settings of the application. */
  readonly application: readonly string[];
}

interface Application {
  readonly line: string;
  readonly token: string;
}

const secretsOf = {
  none: async () => ({ service: ["spark.authenticate false"], args: [], application: [] }),
  async shared({ line }) {
    const { file, application } = await createSecret();
    const encryption = [
      ...["spark.network.crypto.enabled", "true"],
      ...["spark.network.crypto.authEngineVersion", "2"],
      // Spark 3.5 has only AES/CTR.
      ...(line === "3.5" ? [] : ["spark.network.crypto.cipher", "AES/GCM/NoPadding"]),
    ];
    const pairs = encryption.flatMap((key, index) => (index % 2 === 0 ? [[key, encryption[index + 1]]] : []));
    return {
      service: [
        ...["spark.authenticate true", `spark.authenticate.secret.file ${file}`],
        ...pairs.map((pair) => pair.join(" ")),
      ],
      args: [],
      application: [...application, ...pairs.map((pair) => pair.join("="))],
    };
  },
  async perApplication({ token }) {
    const { bytes, application } = await createSecret();
    // The token determines the application ID.
    const rendered = await cluster.firesteel(...["render", "--only", "driver", ...tokenArgs(token), "local:///job.py"]);
    const [, appId = ""] = /spark-app-selector: (\S+)/.exec(rendered.stdout) ?? [];
    expect(appId, rendered.stderr).toMatch(/^spark-[0-9a-f]{32}$/);
    const directory = mkdtempSync(join(cluster.directory, "secrets-"));
    writeFileSync(join(directory, appId), `${bytes.toString("base64")}\n`);
    return { service: ["spark.authenticate true"], args: ["--secrets-dir", directory], application };
  },
} as const satisfies Readonly<Record<string, (application: Application) => Promise<Secrets>>>;

/** Creates a Secret. Returns its content, a file with it, and the settings of applications that use it. */
async function createSecret() {
  // Spark encodes secrets of this length in lines.
  const bytes = Buffer.from(randomBytes(32).toString("hex"));
  const name = `shuffle-${randomUUID()}`;
  const { call } = await cluster.api();
  const secret = { metadata: { name }, data: { secret: bytes.toString("base64") } };
  expect((await call("POST", "/api/v1/namespaces/default/secrets", secret)).status).toBe(201);
  const directory = mkdtempSync(join(cluster.directory, "secret-"));
  const file = join(directory, "secret");
  writeFileSync(file, bytes, { mode: 0o600 });
  return {
    ...{ bytes, file },
    application: [
      ...["spark.authenticate=true", "spark.authenticate.secret.file=/etc/shuffle/secret"],
      ...["driver", "executor"].map((role) => `spark.kubernetes.${role}.secrets.${name}=/etc/shuffle`),
    ],
  };
}
