import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { gssapiSession } from "./gssapi-session.ts";

const login = { principal: "ann@EXAMPLE.COM", keytab: "/k" };

/** GSSAPI whose exchange with a service has these steps. */
function gssapiOf(step: (challenge: string) => Promise<string>) {
  const used: string[] = [];
  const gssapi = {
    async open(service: string, principal: string | undefined) {
      used.push(`${service} as ${principal}`);
      return { step };
    },
    useKeytab: (path: string) => void used.push(path),
  };
  return { gssapi, used };
}

test("a session with a keytab negotiates as its principal, and checks the token of the service", async () => {
  const { gssapi, used } = gssapiOf(async (challenge) => {
    if (challenge === "bad") throw new Error("Token header is malformed or corrupt");
    return "first";
  });
  const session = await gssapiSession(testHost(), gssapi, login);
  const { token, verify } = await session.negotiate("nn1");
  expect([token, used]).toEqual(["first", ["/k", "HTTP@nn1 as ann@EXAMPLE.COM"]]);
  await verify("good");
  await expect(verify("bad")).rejects.toMatchObject({
    code: "SUBMIT_ERR_KERBEROS_LOGIN",
    message: expect.stringContaining("ann@EXAMPLE.COM at nn1: the server did not prove its identity: Token header"),
  });
});

test("a negotiation ends after a minute without a KDC", async () => {
  const host = testHost();
  const { gssapi } = gssapiOf(() => new Promise(() => {}));
  const session = await gssapiSession(host, gssapi, login);
  await expect(host.settle(session.negotiate("nn1"))).rejects.toMatchObject({
    message: "The Kerberos login failed for ann@EXAMPLE.COM at nn1: No KDC responded within 60 s.",
    issues: [{ hint: expect.stringContaining("krb5.conf") }],
  });
});
