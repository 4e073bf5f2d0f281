import { expect, test } from "vitest";
import { alone, contentOf, someBytes, stageBundle, startStaging } from "./staging-program.ts";

const trials = 1000;
const concurrency = 100;
const expiryMs = 1000;

test("T49 a download that starts while its bundle expires is complete or fails", async () => {
  const args = ["--initial-expiry", `${expiryMs}ms`, "--clean-interval", "20ms", "--grace", "5s"];
  const staging = await startStaging([...alone, ...args]);
  const statuses: number[] = [];
  const tryOnce = async (seed: number) => {
    const bytes = someBytes(50_000, seed);
    const { path, reader } = await stageBundle(staging, bytes);
    // Wait for a random time around the expiry.
    await new Promise((resolve) => setTimeout(resolve, expiryMs * (0.7 + 0.5 * Math.random())));
    const { status, body } = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    statuses.push(status);
    if (status === 200) expect(contentOf(body).digest).toBe(contentOf(bytes).digest);
    else expect([404, 410]).toContain(status);
  };
  const worker = async (first: number) => {
    for (let seed = first; seed <= trials; seed += concurrency) await tryOnce(seed);
  };
  await Promise.all(Array.from({ length: concurrency }, (_, index) => worker(index + 1)));
  expect(statuses).toHaveLength(trials);
  expect(statuses.filter((status) => status !== 200).length).toBeGreaterThan(0);
}, 300_000);
