import { expect, test } from "vitest";
import { showProgress } from "./progress.ts";
import { testHost } from "./test-host.ts";

test("a transfer is one changing line on a terminal", async () => {
  const host = testHost({ terminal: true });
  const transfer = showProgress(host).transfer("Spark 4.3.0");
  transfer.update(1e6, 400e6);
  await host.advance(250);
  transfer.update(50e6, 400e6);
  transfer.update(51e6, 400e6);
  transfer.end();
  expect(host.errorText()).toBe("\rSpark 4.3.0: 50 of 400 MB, 200.0 MB/s\u001b[K\n");
});

test("a transfer is a line each ten seconds elsewhere, and none when it is quick", async () => {
  const host = testHost();
  const transfer = showProgress(host).transfer("Spark 4.3.0");
  await host.advance(9000);
  transfer.update(90e6);
  await host.advance(1000);
  transfer.update(100e6);
  await host.advance(20_000);
  transfer.update(100e6);
  transfer.end();
  expect(host.errorText()).toBe("Spark 4.3.0: 100 MB, 10.0 MB/s\n");
});
