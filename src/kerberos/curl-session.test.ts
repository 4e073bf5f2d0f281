import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { TestChild } from "../host/test-children.ts";
import { testHost } from "../host/test-host.ts";
import { curlSession } from "./curl-session.ts";

/** Requests the URL of a curl without and then with a token, as curl does after a challenge. */
function curl(child: TestChild, token: string | undefined, stderr = ""): void {
  const url = new URL(child.args.at(-1) ?? "");
  const send = (headers: Readonly<Record<string, string>>, then: () => void) =>
    request({ host: "127.0.0.1", port: url.port, headers: { host: url.host, ...headers } }, (response) => {
      response.resume().on("end", then);
    }).end();
  const end = () => {
    child.write(2, stderr);
    child.exit(0);
  };
  send({}, () => (token === undefined ? end() : send({ authorization: `Negotiate ${token}` }, end)));
}

function negotiate(hostName: string, token: string | undefined, stderr = "") {
  const host = testHost({
    env: { KRB5CCNAME: "KCM:" },
    spawn(child) {
      if (child.command === "curl") curl(child, token, stderr);
      else {
        child.write(1, "Default principal: ann@EXAMPLE.COM\n");
        child.exit(0);
      }
    },
  });
  return { host, negotiation: curlSession(host, undefined).then((session) => session.negotiate(hostName)) };
}

test("expired tickets of a keytab are replaced", async () => {
  const expired = "* gss_init_sec_context() failed: Ticket expired\n";
  const ended: string[] = [];
  const host = testHost({
    files: { "/k": "K" },
    spawn(child) {
      const isFirst = !ended.includes("curl");
      ended.push(child.command);
      if (child.command === "curl") curl(child, isFirst ? undefined : "dG9rZW4=", isFirst ? expired : "");
      else child.exit(0);
    },
  });
  const session = await curlSession(host, { principal: "ann@EXAMPLE.COM", keytab: "/k" });
  expect((await session.negotiate("nn1")).token).toBe("dG9rZW4=");
  expect(ended).toEqual(["kinit", "curl", "kinit", "curl"]);
  session.close();
  expect(host.files.list(host.files.temporaryRoot) ?? []).toEqual([]);
});

test("a login ends after a minute without a KDC, and leaves no directory", async () => {
  const host = testHost({ files: { "/k": "K" }, spawn: () => undefined });
  const session = host.settle(curlSession(host, { principal: "ann@EXAMPLE.COM", keytab: "/k" }));
  await expect(session).rejects.toMatchObject({
    code: "SUBMIT_ERR_KERBEROS_LOGIN",
    message: "The Kerberos login failed for ann@EXAMPLE.COM: it did not end within 60 s.",
  });
  expect(host.children.map(({ command, signals }) => [command, signals])).toEqual([["kinit", ["SIGKILL"]]]);
  expect(host.files.list(host.files.temporaryRoot) ?? []).toEqual([]);
});

describe("a token by curl", () => {
  test.each([
    ["nn1", /^http:\/\/nn1:\d+\/$/],
    ["::1", /^http:\/\/\[::1\]:\d+\/$/],
  ])("is that for the host %s, but never sent there", async (hostName, url) => {
    const { host, negotiation } = negotiate(hostName, "dG9rZW4=");
    expect((await negotiation).token).toBe("dG9rZW4=");
    const args = host.children.at(-1)?.args ?? [];
    expect(args.at(-1)).toMatch(url);
    expect(args[args.indexOf("--connect-to") + 1]).toMatch(/^::127\.0\.0\.1:\d+$/);
  });

  test("that is missing is an error with curl's reason", async () => {
    const stderr = "> Authorization: x\n* gss_init_sec_context() failed: Clock skew too great. \n";
    await expect(negotiate("nn1", undefined, stderr).negotiation).rejects.toMatchObject({
      code: "SUBMIT_ERR_KERBEROS_LOGIN",
      message: "The Kerberos login failed for ann@EXAMPLE.COM at nn1: Clock skew too great.",
    });
    await expect(negotiate("nn1", undefined).negotiation).rejects.toThrow("curl got no token");
  });
});
