import { createServer } from "node:https";
import { nodeHost } from "../../../src/host/node-host.ts";
import { createAuthority, createServerCertificate } from "../../../src/local-cluster/certificates/certificate.ts";

/** A server on this machine that responds to reviews. */
export interface ReviewServer {
  readonly url: string;
  /** Base64 of PEM. */
  readonly caBundle: string;
  readonly close: () => Promise<void>;
}

/** Starts a server that responds to the `request` of each review. `respond` returns a review without the uid of its response. */
export async function startReviewServer(
  respond: (request: Readonly<Record<string, unknown>>) => {
    readonly response: object;
    readonly [field: string]: unknown;
  },
): Promise<ReviewServer> {
  const host = nodeHost();
  const authority = createAuthority(host, "webhooks");
  const names = ["127.0.0.1"];
  const { certificatePem: cert, privateKeyPem: key } = createServerCertificate(host, { authority, name: "w", names });
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { request: reviewed } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const review = respond(reviewed);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...review, response: { uid: reviewed.uid, ...review.response } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}/review`,
    caBundle: Buffer.from(authority.certificatePem).toString("base64"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
