import { describe, expect, test } from "vitest";
import { type TestRequest, type TestResponse, testWeb } from "../hadoop/test-web.ts";
import { negotiatingConnections } from "./negotiating-connections.ts";

const challenge = { status: 401, headers: { "www-authenticate": "Negotiate" } };

function open(
  respond: (request: TestRequest) => TestResponse,
  verify: (response: string) => Promise<void> = async () => {},
) {
  const web = testWeb(respond);
  const negotiated: string[] = [];
  const session = {
    principal: "ann@EXAMPLE.COM",
    async negotiate(hostName: string) {
      negotiated.push(hostName);
      return { token: `token${negotiated.length}`, verify };
    },
    close: () => {},
  };
  const connections = negotiatingConnections(web.connections, session);
  const send = async (url: string, body?: Uint8Array | AsyncIterable<Uint8Array>) => {
    const response = await connections.send({
      method: "PUT",
      url: new URL(url),
      ...(body === undefined ? {} : { body }),
    });
    response.close();
    return response.status;
  };
  const sent = () => web.requests.map(({ headers }) => headers["authorization"] ?? headers["cookie"] ?? "nothing");
  return { send, sent, negotiated, requests: web.requests };
}

const isAuthorized = ({ headers }: TestRequest) => headers["authorization"] !== undefined;

describe("a request that is challenged", () => {
  test("is sent again with a token and the same body, and later ones with the cookie of its origin", async () => {
    const cookie = { headers: { "set-cookie": ['hadoop.auth="u=ann"; Path=/; HttpOnly'] } };
    const { send, sent, negotiated, requests } = open((request) => {
      if (isAuthorized(request)) return cookie;
      return request.headers["cookie"] === undefined ? challenge : {};
    });
    expect(await send("http://nn1:9870/a", Buffer.from("body"))).toBe(200);
    expect(await send("http://nn1:9870/b")).toBe(200);
    expect(await send("http://nn2:9870/c")).toBe(200);
    const value = 'hadoop.auth="u=ann"';
    expect(sent()).toEqual(["nothing", "Negotiate token1", value, "nothing", "Negotiate token2"]);
    expect(negotiated).toEqual(["nn1", "nn2"]);
    expect(Buffer.from(requests[1]?.body ?? []).toString()).toBe("body");
  });

  test("gets a new token when the cookie has expired", async () => {
    let isExpired = false;
    const { send, sent } = open((request) => {
      if (isAuthorized(request)) return { headers: { "set-cookie": ["hadoop.auth=x; Path=/"] } };
      return isExpired || request.headers["cookie"] === undefined ? challenge : {};
    });
    await send("http://nn1:9870/a");
    isExpired = true;
    expect(await send("http://nn1:9870/b")).toBe(200);
    expect(sent()).toEqual(["nothing", "Negotiate token1", "hadoop.auth=x", "Negotiate token2"]);
  });

  test("is not sent again with a streamed body, or a second time", async () => {
    const { send, sent } = open(() => challenge);
    const chunks = async function* () {
      yield Buffer.from("x");
    };
    expect(await send("http://nn1:9870/a", chunks())).toBe(401);
    expect(await send("http://nn1:9870/a")).toBe(401);
    expect(sent()).toEqual(["nothing", "nothing", "Negotiate token1"]);
  });

  test("fails if the server does not prove its identity", async () => {
    const proof = { headers: { "www-authenticate": "Negotiate d3Jvbmc=" } };
    const { send } = open(
      (request) => (isAuthorized(request) ? proof : challenge),
      async (response) => {
        throw new Error(`wrong: ${response}`);
      },
    );
    await expect(send("http://nn1:9870/a")).rejects.toThrow("wrong: d3Jvbmc=");
  });
});

test("other challenges, and deleted cookies, are left to the caller", async () => {
  const { send, sent } = open(({ url }) => ({
    status: 401,
    headers: {
      "www-authenticate": url.pathname === "/a" ? "Basic realm=x" : "PseudoAuth",
      "set-cookie": ["hadoop.auth=; Path=/"],
    },
  }));
  expect([await send("http://nn1/a"), await send("http://nn1/b")]).toEqual([401, 401]);
  expect(sent()).toEqual(["nothing", "nothing"]);
});
