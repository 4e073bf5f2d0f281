import { createHash } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { showProgress } from "../host/progress.ts";
import { testHost } from "../host/test-host.ts";
import { fetchApacheArchive } from "./apache-archive.ts";

const content = Buffer.from("an archive");
const sha512 = createHash("sha512").update(content).digest("hex");
const path = "/spark/spark-4.3.0/spark-4.3.0-bin-hadoop3.tgz";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function fetchFrom(
  listener: RequestListener,
  envFor: (port: number | undefined) => Readonly<Record<string, string>> = (port) => ({
    FIRESTEEL_SPARK_MIRROR: `http://me:p@ssword@127.0.0.1:${port}/spark/`,
  }),
) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const host = testHost({ env: envFor(port), files: { "/work": null }, spawn: (child) => child.exit(0) });
  const result = await fetchApacheArchive(host, {
    ...{ version: "4.3.0", work: "/work", progress: showProgress(host) },
  });
  return { host, result };
}

describe("Apache's archive", () => {
  test("returns a distribution whose checksum matches the published one, after redirects", async () => {
    const { host, result } = await fetchFrom(({ url = "" }, response) => {
      if (url === path) response.writeHead(302, { location: `/mirror${path}` }).end();
      else if (url === `${path}.sha512`) response.end(`${sha512}  spark-4.3.0-bin-hadoop3.tgz\n`);
      else response.end(content);
    });
    expect(result).toEqual({
      ok: true,
      archive: "spark-4.3.0-bin-hadoop3.tgz",
      sha256: createHash("sha256").update(content).digest("hex"),
    });
    expect(host.children.map(({ command, args }) => [command, args.at(-2)])).toEqual([["tar", "/work/home"]]);
  });

  test("is rejected with a checksum file that does not end", async () => {
    const { result } = await fetchFrom(({ url = "" }, response) => {
      if (url !== `${path}.sha512`) return void response.end(content);
      const write = () => {
        while (response.write("0".repeat(65_536)));
      };
      response.on("drain", write);
      write();
    });
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining(".sha512 is larger than 65536 bytes") });
  });

  test("is downloaded through the proxy of the environment", async () => {
    const requestedUrls: string[] = [];
    const { result } = await fetchFrom(
      ({ url = "" }, response) => {
        requestedUrls.push(url);
        response.end(url.endsWith(".sha512") ? sha512 : content);
      },
      (port) => ({
        FIRESTEEL_SPARK_MIRROR: "http://mirror.example/spark",
        HTTP_PROXY: `http://127.0.0.1:${port}`,
      }),
    );
    expect(result.ok).toBe(true);
    expect(requestedUrls).toEqual([`http://mirror.example${path}`, `http://mirror.example${path}.sha512`]);
  });

  test("may publish its checksum in groups, as older releases do", async () => {
    const groups = sha512.toUpperCase().match(/.{8}/g)?.join(" ");
    const { result } = await fetchFrom(({ url = "" }, response) => {
      response.end(url.endsWith(".sha512") ? `spark-4.3.0-bin-hadoop3.tgz: ${groups}\n` : content);
    });
    expect(result.ok).toBe(true);
  });

  test("is rejected for a wrong checksum, an incomplete download and a missing release", async () => {
    const other = await fetchFrom((_, response) => response.end("something"));
    expect(other.result).toMatchObject({ reason: expect.stringMatching(/checksum/) });
    const short = await fetchFrom((_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("part");
      response.socket?.end();
    });
    expect(short.result.ok).toBe(false);
    const none = await fetchFrom((_, response) => response.writeHead(404).end());
    expect(none.result).toMatchObject({ reason: expect.stringMatching(/responded with 404$/) });
    for (const { host, result } of [other, short, none]) {
      expect(host.errorText() + JSON.stringify(result)).not.toContain("ssword");
    }
  });
});
