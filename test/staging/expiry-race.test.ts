import { expect, test } from "vitest";
import { alone, contentOf, someBytes, stageBundle, startStaging } from "./staging-program.ts";

const trials = 1000;
const atOnce = 20;
const lifeMs = 1000;

test("T49 what is downloaded first in the moment when it goes comes whole, or not at all", async () => {
  const life = ["--initial-expiry", `${lifeMs}ms`, "--clean-interval", "20ms", "--grace", "5s"];
  const staging = await startStaging([...alone, ...life]);
  const statuses: number[] = [];
  const tryOnce = async (seed: number) => {
    const bytes = someBytes(50_000, seed);
    const { path, reader } = await stageBundle(staging, bytes);
    // From well before the end to after it.
    await new Promise((resolve) => setTimeout(resolve, lifeMs * (0.7 + 0.5 * Math.random())));
    const { status, body } = await staging.ask("GET", `${path}/entries/0`, { headers: reader });
    statuses.push(status);
    if (status === 200) expect(contentOf(body).digest).toBe(contentOf(bytes).digest);
    else expect([404, 410]).toContain(status);
  };
  const worker = async (first: number) => {
    for (let seed = first; seed <= trials; seed += atOnce) await tryOnce(seed);
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index + 1)));
  expect(statuses).toHaveLength(trials);
  expect(statuses.filter((status) => status !== 200).length).toBeGreaterThan(0);
}, 300_000);
