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
  expect(host.errorText()).toBe("\rSpark 4.3.0: 50 of 400 MB, 200.0 MB/s, 2 s left\u001b[K\n");
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

test("shows the remaining time in minutes and seconds", async () => {
  const host = testHost();
  const transfer = showProgress(host).transfer("app.jar");
  await host.advance(10_000);
  transfer.update(10e6, 85e6);
  await host.advance(20_000);
  transfer.update(85e6, 85e6);
  expect(host.errorText()).toBe("app.jar: 10 of 85 MB, 1.0 MB/s, 1:15 left\napp.jar: 85 of 85 MB, 2.8 MB/s\n");
});

test("names of files and servers do not control the terminal", async () => {
  const host = testHost({ terminal: true });
  const progress = showProgress(host);
  progress.note("Getting a\u001b]8;;x\nDone.");
  const transfer = progress.transfer("a\r\nb");
  await host.advance(1000);
  transfer.update(1e6);
  expect(host.errorText()).toBe("Getting a\\u001b]8;;x\n\t\tDone.\n\ra\\u000d\\u000ab: 1 MB, 1.0 MB/s\u001b[K");
});
