import { expect, test } from "vitest";
import { alone, type Staging, someBytes, stageBundle, startStaging } from "../staging/staging-program.ts";
import { describeWith } from "../test-with.ts";
import { moto, startMoto } from "./start-moto.ts";

const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s", AWS_REGION: "us-east-1" };

describeWith(moto)("servers over a bucket that writes under conditions", { timeout: 300_000 }, () => {
  const serverOver = (endpoint: string): Promise<Staging> =>
    startStaging([...alone, "--s3-endpoint", endpoint], { store: "s3://bucket/x", env });

  test("T39 lose no concurrent change of one bundle", async () => {
    const { endpoint } = await startMoto();
    const one = await serverOver(endpoint);
    const two = await serverOver(endpoint);
    const bytes = someBytes(9 * 1024 * 1024);
    const bundle = await stageBundle(one, bytes);
    const renewals = [10_000, 20_000, 30_000, 40_000, 50_000, 60_000].flatMap((ttlSeconds) =>
      [one, two].map((server) => server.sendRequest("POST", `${bundle.path}:renew`, { json: { ttlSeconds } })),
    );
    const download = (server: Staging) =>
      server.sendRequest("GET", `${bundle.path}/entries/0`, { headers: bundle.reader });
    const [downloads, renewed] = await Promise.all([Promise.all([one, two].map(download)), Promise.all(renewals)]);
    for (const { body } of downloads) expect(body.equals(bytes)).toBe(true);
    expect(renewed.map(({ status }) => status)).toEqual(renewed.map(() => 200));
    const longest = Date.parse((await renewals[10])?.text("expiresAt") ?? "");
    const last = await one.sendRequest("POST", `${bundle.path}:renew`, { json: { ttlSeconds: 1 } });
    expect(Date.parse(last.text("expiresAt"))).toBeGreaterThanOrEqual(longest);
    for (const { program } of [one, two]) program.child.kill("SIGTERM");
    expect((await one.program.ended).stdout).not.toContain("must be the only server");
  });

  test("T38 share one signing key when they start concurrently", async () => {
    const { endpoint } = await startMoto();
    const servers = await Promise.all([1, 2, 3].map(() => serverOver(endpoint)));
    const bundles = await Promise.all(servers.map((server, index) => stageBundle(server, someBytes(10, index + 1))));
    for (const server of servers) {
      for (const { path, reader } of bundles) {
        expect((await server.sendRequest("GET", path, { headers: reader })).status).toBe(200);
      }
    }
  });
});
