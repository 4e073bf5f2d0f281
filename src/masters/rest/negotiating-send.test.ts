import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { negotiatingSend } from "./negotiating-send.ts";
import type { RestRequest } from "./rest-exchange.ts";

const url = "http://gateway:6066/v1/submissions/create";

async function send(challenge: string | undefined, isAccepted = true, proof = challenge) {
  const requests: RestRequest[] = [];
  const closed: string[] = [];
  const host = testHost();
  const sending = negotiatingSend(
    host,
    { principal: "ann", keytab: "/k" },
    async (request) => {
      requests.push(request);
      const status = request.negotiate === undefined || !isAccepted ? 401 : 200;
      return {
        kind: "response",
        reply: { status, contentType: "", text: "", challenge: status === 401 ? challenge : proof },
      };
    },
    async (_, login) => ({
      principal: "ann",
      negotiate: async (hostName) => ({
        token: `${login?.keytab} for ${hostName}`,
        async verify(response) {
          if (response !== "cHJvb2Y=") throw new Error(`${response} proves nothing`);
        },
      }),
      close: () => closed.push("closed"),
    }),
  );
  const ended = await sending({ method: "POST", url, body: "{}" }, { clock: host.clock, repeats: false });
  return { status: ended.kind === "response" ? ended.reply.status : ended.kind, requests, closed };
}

describe("a request that a gateway rejects", () => {
  test("is sent once more with a token if the gateway supports Kerberos", async () => {
    const { status, requests, closed } = await send("Negotiate");
    expect(status).toBe(200);
    expect(requests).toEqual([
      { method: "POST", url, body: "{}" },
      { method: "POST", url, body: "{}", negotiate: "/k for gateway" },
    ]);
    expect(closed).toEqual(["closed"]);
    expect(await send("Basic realm=x, Negotiate", false)).toMatchObject({ status: 401, closed: ["closed"] });
  });

  test("fails if the gateway does not prove its identity", async () => {
    expect(await send("Negotiate", true, "Negotiate cHJvb2Y=")).toMatchObject({ status: 200, closed: ["closed"] });
    await expect(send("Negotiate", true, "Negotiate bm9uZQ==")).rejects.toThrow("bm9uZQ== proves nothing");
  });

  test.each(["Basic realm=negotiate", undefined])("is not sent again for the challenge %j", async (challenge) => {
    const { status, requests } = await send(challenge);
    expect([status, requests.length]).toEqual([401, 1]);
  });
});
