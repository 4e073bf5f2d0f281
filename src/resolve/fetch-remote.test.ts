import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { deflateRawSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { testRequest } from "../plan/test-driver.ts";
import { fetchRemote } from "./fetch-remote.ts";
import { readMainClass } from "./jar-manifest.ts";
import { readFacts } from "./read-facts.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server on this machine. Returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

const beginningOfJar =
  "UEsDBBQACAgIAEyxdV0AAAAAAAAAAAAAAAAJAAQATUVUQS1JTkYv/soAAAMAUEsHCAAAAAACAAAAAAAAAFBLAwQUAA" +
  "gICABMsXVdAAAAAAAAAAAAAAAAFAAAAE1FVEEtSU5GL01BTklGRVNULk1G803My0xLLS7RDUstKs7Mz7NSMNQz4OVy" +
  "LkpNLElN0XWqBAqY6xnoGZoqaLikJmUm5mnycvkmZubpOuckFhdbKeQXpeulViTmFuSk6oHEebl4uQBQSwcIOXmhvV" +
  "MAAABVAAAA";

const template = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: x}]}\n";
const key = {
  driver: "spark.kubernetes.driver.podTemplateFile",
  executor: "spark.kubernetes.executor.podTemplateFile",
};

async function facts(settings: Readonly<Record<string, string>>, templatePaths: "plain" | "spark" = "plain") {
  const { facts: value, issues } = await readFacts(testHost(), testRequest({ settings, behaviors: { templatePaths } }));
  return { value, issues };
}

describe("fetchRemote", () => {
  test("sends query and user without the fragment, and no user to another server", async () => {
    const received: (string | undefined)[] = [];
    const listener: RequestListener = (request, response) => {
      received.push(request.url, request.headers.authorization);
      if (request.url === "/b") response.end("here");
      else response.writeHead(302, { location: `http://${address}/b` }).end();
    };
    const address = await serve(listener);
    const fetched = await fetchRemote(testHost(), `http://me:p%40ss@${address}/a?x=1#f`, 100);
    expect(fetched).toEqual({ bytes: Buffer.from("here"), isComplete: true });
    expect(received).toEqual(["/a?x=1", `Basic ${Buffer.from("me:p@ss").toString("base64")}`, "/b", undefined]);
  });

  test("fetches no more than the limit", async () => {
    const address = await serve((_, response) => response.end("x".repeat(1000)));
    expect(await fetchRemote(testHost(), `http://${address}/`, 10)).toEqual({
      bytes: Buffer.from("x".repeat(10)),
      isComplete: false,
    });
  });

  test("reports a redirect loop and an error status", async () => {
    const circle = await serve((_, response) => response.writeHead(307, { location: "/" }).end());
    await expect(fetchRemote(testHost(), `http://${circle}/`, 10)).rejects.toThrow("more than 20 times");
    const none = await serve((_, response) => response.writeHead(403).end("secret"));
    await expect(fetchRemote(testHost(), `http://${none}/`, 10)).rejects.toThrow(
      "the server responded with status 403",
    );
  });

  test("uses the proxy", async () => {
    const proxy = await serve((request, response) => response.end(request.url));
    const host = testHost({ env: { HTTP_PROXY: `http://${proxy}` } });
    const { bytes } = await fetchRemote(host, "http://templates.example/t.yml", 100);
    expect(bytes.toString()).toBe("http://templates.example/t.yml");
  });

  test("times out without a response", async () => {
    const host = testHost();
    const address = await serve(() => host.advance(60_000));
    await expect(fetchRemote(host, `http://${address}/`, 10)).rejects.toThrow("no response within 60 s");
  });
});

describe("remote pod templates", () => {
  test("are fetched for driver and executors", async () => {
    const address = await serve((_, response) => response.end(template));
    const url = `http://${address}/t.yml`;
    const { value } = await facts({ [key.driver]: url, [key.executor]: url });
    expect(value?.driverTemplate).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      spec: { containers: [{ name: "x" }] },
    });
    expect(value?.executorTemplateText).toBe(template);
  });

  test("are both reported without passwords if they are missing", async () => {
    const address = await serve((_, response) => response.writeHead(404).end());
    const url = `http://me:secret@${address}/t.yml`;
    const { issues } = await facts({ [key.driver]: url, [key.executor]: url });
    expect(issues).toMatchObject([
      {
        code: "SUBMIT_ERR_TEMPLATE_UNUSABLE",
        hint: `Check http://${address}/t.yml: the server responded with status 404.`,
      },
      {
        code: "SUBMIT_ERR_TEMPLATE_UNREADABLE",
        message: `Cannot read the file of ${key.executor}: http://${address}/t.yml (the server responded with status 404)`,
      },
    ]);
  });

  test("are rejected above the size limit", async () => {
    const address = await serve((_, response) => response.end("x".repeat(1024 * 1024 + 1)));
    const { issues } = await facts({ [key.executor]: `http://${address}/` });
    expect(issues).toMatchObject([{ message: expect.stringContaining("longer than 1048576 bytes") }]);
  });

  test.each(["s3a://b/t.yml", "hdfs://h/t.yml", "ftp://h/t.yml"])(
    "at %s are rejected, with exactly Spark's behavior in its wording",
    async (url) => {
      const settings = { [key.driver]: url, [key.executor]: url };
      const scheme = url.slice(0, url.indexOf(":"));
      expect((await facts(settings)).issues).toMatchObject(
        [key.driver, key.executor].map((name) => ({
          code: "SUBMIT_ERR_TEMPLATE_SCHEME",
          message: `Cannot fetch the pod template ${url} of ${name}: the scheme ${scheme}: is not supported.`,
        })),
      );
      expect((await facts(settings, "spark")).issues).toMatchObject([
        { message: "Could not load pod from template file." },
        { code: "SUBMIT_ERR_TEMPLATE_UNREADABLE" },
      ]);
    },
  );
});

describe("the main class of a remote jar", () => {
  const mainClass = async (address: string) => {
    const result = await readMainClass(`http://${address}/app.jar`, {
      host: testHost(),
      behaviors: { mainClassLookup: "anywhere" },
    });
    return result.ok ? result.value : result.issues[0]?.message;
  };

  test("is read from the manifest at its beginning", async () => {
    // First bytes of a jar that `jar cfe app.jar org.example.Main` of Java 17 created, to the end of the manifest.
    const firstBytes = Buffer.from(beginningOfJar, "base64");
    const address = await serve((_, response) => {
      response.write(firstBytes);
      response.end(Buffer.alloc(3 * 1024 * 1024));
    });
    expect(await mainClass(address)).toBe("org.example.Main");
  });

  test("is not read from a manifest that inflates to 17 MB", { tags: "long" }, async () => {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(8, 8);
    header.writeUInt16LE(20, 26);
    const content = deflateRawSync("\0".repeat(17_000_000));
    const address = await serve((_, response) =>
      response.end(Buffer.concat([header, Buffer.from("META-INF/MANIFEST.MF"), content])),
    );
    expect(await mainClass(address)).toContain("app.jar has a manifest of more than 16000000 bytes'");
  });

  test("is reported as missing without a manifest, a jar or a response", async () => {
    const address = await serve((_, response) => response.end("no zip"));
    expect(await mainClass(address)).toBe("No main class set in JAR; please specify one with --class.");
    const none = await serve((_, response) => response.writeHead(404).end());
    expect(await mainClass(none)).toBe(
      "Failed to get main class in JAR with error 'the server responded with status 404'.  Please specify one with --class.",
    );
  });
});
