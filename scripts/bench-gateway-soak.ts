/**
 * Runs a gateway for a long time with faults: `npm run bench -- gateway-soak [--minutes 60] [--rate 2] [--kill-minutes 15]
 * [--outage-minutes 5] [--json]`. Applications are submitted at a constant rate to an embedded API; their drivers run for some seconds, and
 * some are deleted. Every 20 s there is another fault of the API, and once, in the middle, the API is away for minutes. The gateway is
 * killed every `--kill-minutes`, but not while the API is away.
 *
 * Exits with 1 if an acknowledged application was lost, if one was submitted twice, if objects of applications stay, or if memory grew.
 */
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ApiTarget } from "./bench/api-target.ts";
import { type EmbeddedApi, withEmbeddedApi, withNamespace } from "./bench/bench-api.ts";
import { memoryOf } from "./bench/followed-applications.ts";
import type { GatewayCluster } from "./bench/gateway-process.ts";
import { describeMachine } from "./bench/measure.ts";
import { startLoad } from "./bench/soak/applications.ts";
import { listDrivers, type SeenDrivers } from "./bench/soak/drivers.ts";
import { startFaults } from "./bench/soak/faults.ts";
import { findLeftovers, waitForRemoval } from "./bench/soak/leftovers.ts";
import { growths } from "./bench/soak/memory.ts";
import { type Minute, printSoak, type SoakReport } from "./bench/soak/report.ts";
import { soakGateway as startSoakedGateway } from "./bench/soak/soaked-gateway.ts";

interface Amounts {
  readonly minutes: number;
  readonly rate: number;
  readonly killMinutes: number;
  readonly outageMinutes: number;
}

const sampleMs = 10_000;
const stepMs = 300_000;

/** Runs the soak, and prints its report. */
export async function soakGateway(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "60" },
      rate: { type: "string", default: "2" },
      "kill-minutes": { type: "string", default: "15" },
      "outage-minutes": { type: "string", default: "5" },
      json: { type: "boolean", default: false },
    },
  });
  const amounts = {
    ...{ minutes: Number(values.minutes), rate: Number(values.rate) },
    ...{ killMinutes: Number(values["kill-minutes"]), outageMinutes: Number(values["outage-minutes"]) },
  };
  const report = await withEmbeddedApi((api) =>
    withNamespace(api, (cluster, target) => soak({ api, cluster, target }, amounts)),
  );
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : printSoak(report));
  if (!report.isPassed) process.exitCode = 1;
}

interface SoakCall {
  readonly api: EmbeddedApi;
  readonly cluster: GatewayCluster;
  readonly target: ApiTarget;
}

async function soak({ api, cluster, target }: SoakCall, amounts: Amounts): Promise<SoakReport> {
  const { minutes, rate, killMinutes, outageMinutes } = amounts;
  const { namespace } = cluster;
  const problems: string[] = [];
  const gateway = await startSoakedGateway({ ...cluster, options: ["--keep", "60s"] }, problems);
  const drivers = listDrivers(target, namespace);
  const timeoutMs = stepMs + outageMinutes * 60_000;
  const load = startLoad({ target, namespace, url: gateway.url, rate, timeoutMs, problems });
  const faults = startFaults(api, problems);
  const outageFrom = Math.floor((minutes - outageMinutes) / 2);
  const hasOutage = outageMinutes > 0 && outageFrom > 0;
  const rows: Minute[] = [];
  let outage = Promise.resolve();
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sampleMinute(gateway.sample);
    const { pid = 0, mebibytes = 0 } = gateway.samples.at(-1) ?? {};
    const isOut = hasOutage && minute > outageFrom && minute <= outageFrom + outageMinutes;
    const row = { minute, pid, mebibytes, apiMiB: memoryOf(api.pid), isOut, ...load.totals };
    rows.push(row);
    process.stderr.write(`${JSON.stringify({ ...row, problems: problems.length })}\n`);
    if (hasOutage && minute === outageFrom) outage = faults.outage(outageMinutes);
    const isNextOut = hasOutage && minute >= outageFrom && minute < outageFrom + outageMinutes;
    if (minute % killMinutes === 0 && minute < minutes && !isNextOut) await gateway.kill();
  }
  await outage;
  await faults.stop();
  await load.stop();
  const remaining = await waitForRemoval(gateway.url());
  if (remaining > 0) problems.push(`${remaining} applications are not removed.`);
  const leftovers = await findLeftovers(target, namespace);
  await drivers.stop();
  await gateway.end();
  problems.push(...leftovers.map((name) => `${name} is left.`), ...countProblems(drivers, load.acknowledged));
  const outageSeconds = { fromSeconds: outageFrom * 60, toSeconds: (outageFrom + outageMinutes) * 60 };
  const growth = growths(gateway.samples, hasOutage ? outageSeconds : undefined);
  const driverCount = [...drivers.byApplication.values()].reduce((sum, { size }) => sum + size, 0);
  return {
    ...{ machine: describeMachine(), minutes: rows, samples: gateway.samples, totals: load.totals },
    ...{ drivers: driverCount, problems, growth },
    isPassed: problems.length === 0 && !growth.some(({ hasGrown }) => hasGrown),
  };
}

async function sampleMinute(sample: () => Promise<void>): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    await setTimeout(Math.min(sampleMs, Math.max(1, end - performance.now())));
    await sample();
  }
}

/** Compares the listed drivers with the acknowledged applications. */
function countProblems({ byApplication }: SeenDrivers, acknowledged: ReadonlySet<string>): readonly string[] {
  return [
    ...[...acknowledged].filter((name) => !byApplication.has(name)).map((name) => `${name} had no driver.`),
    ...[...byApplication].flatMap(([name, { size }]) => (size > 1 ? [`${name} had ${size} drivers.`] : [])),
    ...[...byApplication.keys()]
      .filter((name) => !acknowledged.has(name))
      .map((name) => `${name} had a driver, but was not acknowledged.`),
  ];
}
