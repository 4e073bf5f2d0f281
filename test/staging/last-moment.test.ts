import { expect, test } from "vitest";
import {
  alone,
  entryOf,
  receiptOf,
  someBytes,
  stageBlob,
  startStaging,
  usualOwner,
} from "./staging-program.ts";

test("T49 what is downloaded while it goes comes whole, or not at all", async () => {
  const staging = await startStaging([...alone, "--clean-interval", "20ms", "--initial-expiry", "1s"]);
  const bytes = someBytes(100_000);
  const blob = await stageBlob(staging, bytes);
  const bundles = [];
  for (let index = 0; index < 300; index += 1) {
    const json = { owner: usualOwner, entries: [entryOf("app.jar", blob)] };
    bundles.push(receiptOf(await staging.ask("POST", "/api/v1/bundles", { json })));
  }
  const counts = new Map<number, number>();
  const left = new Set(bundles);
  while (left.size > 0) {
    for (const bundle of left) {
      const manifest = await staging.ask("GET", bundle.path, { headers: bundle.reader });
      if (manifest.status !== 200) left.delete(bundle);
      // To download would prolong it, so only the last moment is tried.
      const isLast = Math.random() < 0.01 || manifest.status !== 200;
      if (!isLast) continue;
      const { status, body } = await staging.ask("GET", `${bundle.path}/entries/0`, {
        headers: bundle.reader,
      });
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (status === 200) expect(body.equals(bytes)).toBe(true);
      else expect([404, 410]).toContain(status);
      if (status === 200) await staging.ask("DELETE", bundle.path);
    }
  }
  expect(counts.get(410)).toBeGreaterThan(0);
});
