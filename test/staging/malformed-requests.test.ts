import { readdirSync } from "node:fs";
import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { alone, startStaging } from "./staging-program.ts";

const boundary = "b7f1";
const piece = fc.constantFrom(
  ...[`--${boundary}\r\n`, `--${boundary}--\r\n`, `\r\n--${boundary}`, `--${boundary}`, "\r\n", "\r\n\r\n", "--", "x"],
  ...['Content-Disposition: form-data; name="resources"\r\n\r\n', 'Content-Disposition: form-data; name="resources"'],
  ...['Content-Disposition: form-data; name="resourcesOwner"\r\n\r\n', "Content-Disposition: form-data\r\n\r\n"],
  ...[
    "Content-Type: application/json\r\n",
    "Content-Type: multipart/form-data; boundary=x\r\n",
    "{}",
    "\0".repeat(3000),
  ],
  ...['{"ownerNamespace":"team","ownerLabels":{"a":"b"},"ownerType":"Pod"}', `${"a".repeat(100_000)}: b\r\n`],
);

test("malformed and truncated forms neither end the server nor leave files", async () => {
  const staging = await startStaging([...alone, "--body-idle", "500ms"]);
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, isCut) => {
      const body = pieces.join("");
      if (isCut) {
        const socket = connect(staging.port, "127.0.0.1").on("error", () => {});
        const head = `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length + 1}\r\nContent-Type: ${headers["content-type"]}\r\n\r\n`;
        await new Promise<void>((resolve) => socket.write(head + body, () => resolve()));
        socket.destroy();
      } else {
        const { status } = await staging.sendRequest("POST", "/api/v0/resources", { headers, body });
        expect([200, 400, 408]).toContain(status);
      }
      expect((await staging.sendRequest("GET", "/healthz")).status).toBe(200);
    }),
    { numRuns: 200 },
  );
  await expect.poll(() => readdirSync(`${staging.store}/uploads`), { timeout: 30_000 }).toEqual([]);
});

test("malformed paths and headers do not cause a server error", async () => {
  const staging = await startStaging();
  const segment = fc.constantFrom(
    ...[
      "api",
      "v0",
      "v1",
      "resources",
      "bundles",
      "uploads",
      "entries",
      "..",
      ".",
      "%2e%2e",
      "%00",
      "a:commit",
      ":renew",
    ],
    ...["00000000-0000-4000-8000-000000000000", "0", "-1", "blobs:missing", "__proto__", "constructor"],
  );
  const value = fc.constantFrom(
    "",
    "Bearer",
    "Bearer x",
    "Bearer e30.e30",
    "0",
    "-1",
    "99999999999999999999",
    "bytes=-",
    "{",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS"),
      fc.array(segment, { maxLength: 6 }),
      value,
      fc.constantFrom("", "{}", "[]", "null", '{"namespace":"__proto__"}'),
      async (method, segments, text, body) => {
        const headers = { authorization: text, "upload-offset": text, range: text, "idempotency-key": text };
        const { status } = await staging.sendRequest(method, `/${segments.join("/")}`, { headers, body });
        expect(status).toBeLessThan(500);
      },
    ),
    { numRuns: 500 },
  );
});
