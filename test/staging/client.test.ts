import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StagingProgress } from "../../src/staging-client/staging-client.ts";
import { openFailingProxy } from "../acceptance/failing-proxy.ts";
import { localize, secret, tree } from "../acceptance/localize.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { someBytes, startStaging } from "./staging-program.ts";
import { driverOwner, stageable, testClient } from "./test-client.ts";

const big = someBytes(20_000_000);

describe("with the staging server", () => {
  test("the init container downloads staged files, and a second submission sends nothing (T26, T53)", async () => {
    const staging = await startStaging();
    const { port, sentBytes } = await openFailingProxy(staging.port, []);
    const files = await stageable({
      "app.jar": big,
      "run.sh": "#!/bin/sh\n",
      empty: "",
      "same.jar": "#!/bin/sh\n",
    });
    const progressReports: StagingProgress[] = [];
    const submitter = testClient(`http://127.0.0.1:${port}`);
    const receipt = await submitter.stage({
      files,
      owner: driverOwner,
      onProgress: (progress) => progressReports.push(progress),
    });
    expect([progressReports[0], progressReports.at(-1)]).toEqual([
      { bytes: 0, totalBytes: 20_000_010 },
      { bytes: 20_000_010, totalBytes: 20_000_010 },
    ]);
    const first = sentBytes();
    const again = await submitter.stage({ files, owner: driverOwner });
    expect(sentBytes() - first).toBeLessThan(64 * 1024);
    expect(again.bundleId).not.toBe(receipt.bundleId);
    const server = `http://127.0.0.1:${staging.port}`;
    const { bundleId, token } = receipt;
    const run = localize([{ kind: "bundle", server, bundleId, tokenFile: secret(token) }]);
    const outcome = await run.program.ended;
    expect(outcome).toMatchObject({ exit: 0, stderr: "" });
    expect(tree(run.directory)).toEqual({
      "files/": "755",
      "files/empty": "644",
      "files/run.sh": "755",
      "jars/": "755",
      "jars/app.jar": "644",
      "jars/same.jar": "644",
    });
    expect(readFileSync(join(run.directory, "jars/app.jar")).equals(big)).toBe(true);
    expect(await submitter.deleteBundle(bundleId)).toBe(true);
    const late = localize([{ kind: "bundle", server, bundleId, tokenFile: secret(token) }]);
    expect((await late.program.ended).exit).toBe(4);
    const wrong = localize([{ kind: "bundle", server, bundleId: again.bundleId, tokenFile: secret(token) }]);
    expect([3, 4]).toContain((await wrong.program.ended).exit);
  });

  test("an interrupted upload continues at the server's offset", async () => {
    const staging = await startStaging();
    const { port, sentBytes } = await openFailingProxy(staging.port, [3_000_000, 5_000_000, 1_000_000]);
    const files = await stageable({ "app.jar": big });
    await testClient(`http://127.0.0.1:${port}`).stage({ files, owner: driverOwner });
    expect(sentBytes()).toBeGreaterThan(big.length);
    // Each interruption loses only the bytes in buffers on the way, and no received bytes.
    const { body } = await staging.sendRequest("GET", "/metrics");
    const received = Number(/^firesteel_staging_received_bytes_total (.*)$/m.exec(body.toString())?.[1]);
    expect(received - big.length).toBeGreaterThanOrEqual(0);
    expect(received - big.length).toBeLessThan(10_000);
  });

  test("T77 the next submission continues an aborted upload", async () => {
    const staging = await startStaging();
    const url = `http://127.0.0.1:${staging.port}`;
    const files = await stageable({ "app.jar": big });
    const cachePath = temporaryDirectory();
    const aborter = new AbortController();
    const onProgress = ({ bytes }: StagingProgress) => {
      if (bytes > 17_000_000) aborter.abort(new Error("aborted"));
    };
    const first = testClient(url, { cachePath, signal: aborter.signal });
    await expect(first.stage({ files, owner: driverOwner, onProgress })).rejects.toThrow("aborted");
    first.close();
    const progressReports: StagingProgress[] = [];
    const second = testClient(url, { cachePath });
    await second.stage({ files, owner: driverOwner, onProgress: (progress) => progressReports.push(progress) });
    const total = progressReports[0]?.totalBytes ?? 0;
    expect(total).toBeLessThan(4_000_000);
    expect(progressReports.at(-1)).toEqual({ bytes: total, totalBytes: total });
  });

  test("info() returns the server's features", async () => {
    const staging = await startStaging();
    const info = await testClient(`http://127.0.0.1:${staging.port}`).info();
    expect(info.features).toContain("resumable-uploads");
  });
});
