import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { describeWith } from "../test-with.ts";
import { startBrowser } from "./browser.ts";
import { eventually } from "./gateway-cluster.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { startIssuer } from "./oidc-issuer.ts";
import { temporaryDirectory } from "./programs.ts";

/** Writes a file, and returns its path. */
function fileWith(name: string, text: string): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, text);
  return path;
}

function optionsOf(issuer: string): readonly string[] {
  const secretFile = fileWith("secret", "s3cret\n");
  return ["--auth", "oidc", "--oidc-issuer-url", issuer, "--oidc-client-id", "gateway"].concat([
    ...["--oidc-client-secret-file", secretFile, "--oidc-username-claim", "preferred_username"],
    ...["--oidc-username-prefix", "-", "--oidc-groups-claim", "groups"],
  ]);
}

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function statusOf(gateway: GatewayProcess, token: string): Promise<number> {
  const { status } = await gateway.send("GET", "/batches", { headers: { authorization: `Bearer ${token}` } });
  return status;
}

describe("bearer tokens", () => {
  test("of the issuer are accepted for the gateway only, and their user owns the application", async () => {
    const issuer = await startIssuer();
    const prefix = `${issuer.url}#`;
    const options = ["--oidc-audience", "spark", "--oidc-username-claim", "sub", "--oidc-username-prefix", prefix];
    const gateway = await startGateway(...optionsOf(issuer.url), ...options);
    const authorization = `Bearer ${await issuer.issueToken("spark")}`;
    const body = { file: "local:///opt/app.jar", className: "Main" };
    const created = await gateway.send("POST", "/batches", { body, headers: { authorization } });
    expect([created.status, created.json["owner"]]).toEqual([201, `${prefix}gateway`]);
    const read = async () => (await gateway.send("GET", "/batches/0", { headers: { authorization } })).json["appId"];
    await eventually(async () => (await read()) ?? undefined);
    const password = Buffer.from(`any:${await issuer.issueToken("spark")}`).toString("base64");
    const livy = await gateway.send("GET", "/batches", { headers: { authorization: `Basic ${password}` } });
    expect(livy.status).toBe(200);
    expect(await statusOf(gateway, await issuer.issueToken("other"))).toBe(401);
  });

  test("that are expired, unsigned, signed by another key or with a public key, or lack claims are rejected", async () => {
    const [issuer, other] = [await startIssuer(), await startIssuer()];
    const gateway = await startGateway(...optionsOf(issuer.url));
    const user = { preferred_username: "alice" };
    expect(await statusOf(gateway, await issuer.sign(user, 60))).toBe(200);
    const claims = { iss: issuer.url, aud: "gateway", sub: "alice", ...user, exp: Math.floor(Date.now() / 1000) + 60 };
    const shared = new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: String(issuer.publicKey().kid) });
    const rejected = {
      expired: await issuer.sign(user, -60),
      "another issuer": await other.sign(user, 60),
      "the key of another issuer": await other.sign({ ...user, iss: issuer.url }, 60),
      "another audience": await issuer.sign({ ...user, aud: "other" }, 60),
      "without a user": await issuer.sign({}, 60),
      "a user of the system": await issuer.sign({ preferred_username: "system:admin" }, 60),
      "not valid yet": await issuer.sign({ ...user, nbf: claims.exp }, 120),
      unsigned: `${base64({ alg: "none" })}.${base64(claims)}.`,
      "signed with the public key": await shared.sign(Buffer.from(JSON.stringify(issuer.publicKey()))),
      "no token": "abc",
    };
    for (const [name, token] of Object.entries(rejected))
      expect([name, await statusOf(gateway, token)]).toEqual([name, 401]);
    const { headers } = await gateway.send("GET", "/batches");
    expect(headers.get("www-authenticate")).toBe('Bearer realm="Firesteel gateway"');
    expect((await gateway.send("GET", "/readyz")).status).toBe(200);
  });

  test("stay valid after the issuer has rotated its keys, and those of the earlier key do not", async () => {
    const issuer = await startIssuer();
    const gateway = await startGateway(...optionsOf(issuer.url));
    const user = { preferred_username: "alice" };
    const before = await issuer.sign(user, 60);
    expect(await statusOf(gateway, before)).toBe(200);
    await issuer.rotateKeys();
    const after = await issuer.sign(user, 60);
    await eventually(async () => ((await statusOf(gateway, after)) === 200 ? true : undefined));
    expect(await statusOf(gateway, before)).toBe(401);
  });

  test("get 503 with Retry-After while the issuer is down, and are accepted when it is back", async () => {
    const issuer = await startIssuer();
    issuer.setDown(true);
    const gateway = await startGateway(...optionsOf(issuer.url));
    const token = await issuer.sign({ preferred_username: "alice" }, 60);
    const reply = await gateway.send("GET", "/batches", { headers: { authorization: `Bearer ${token}` } });
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "5"]);
    const login = await gateway.send("GET", "/oidc/login");
    expect([login.status, login.headers.get("retry-after")]).toEqual([503, "5"]);
    issuer.setDown(false);
    expect(await statusOf(gateway, token)).toBe(200);
    issuer.setDown(true);
    expect(await statusOf(gateway, token)).toBe(200);
  });

  test("have the permissions of RBAC with --impersonate, and all permissions without it", async () => {
    const issuer = await startIssuer();
    const token = await issuer.sign({ preferred_username: "alice", groups: ["team"] }, 60);
    const submit = async (...options: readonly string[]) => {
      const gateway = await startGateway(...optionsOf(issuer.url), ...options);
      const body = { file: "local:///opt/app.jar", className: "Main" };
      return gateway.send("POST", "/batches", { body, headers: { authorization: `Bearer ${token}` } });
    };
    expect((await submit()).status).toBe(201);
    const denied = { status: 403, json: { msg: "User 'alice' cannot submit applications." } };
    expect(await submit("--impersonate")).toMatchObject(denied);
  });
});

test("an issuer with its own authority needs --oidc-ca-file", async () => {
  const authority = issueCertificate({ name: "authority", isAuthority: true });
  const server = issueCertificate({ name: "issuer", issuer: authority, names: ["127.0.0.1"] });
  const issuer = await startIssuer({ tls: { cert: server.certificate, key: server.key } });
  const caFile = fileWith("ca.pem", authority.certificate);
  const token = await issuer.sign({ preferred_username: "alice" }, 60);
  expect(await statusOf(await startGateway(...optionsOf(issuer.url)), token)).toBe(503);
  expect(await statusOf(await startGateway(...optionsOf(issuer.url), "--oidc-ca-file", caFile), token)).toBe(200);
});

describeWith("Chromium")("a login in a browser", {}, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function openPage(): Promise<Page> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context.newPage();
  }

  async function logIn(page: Page, user: string): Promise<void> {
    await page.getByPlaceholder("Enter any login").fill(user);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  test("shows the dashboard with the user, whose session outlives the gateway and ends with the logout", async () => {
    const issuer = await startIssuer({ groups: ["team", "system:masters"] });
    const key = ["--session-key-file", fileWith("key", "k".repeat(32))];
    const gateway = await startGateway(...optionsOf(issuer.url), ...key);
    await issuer.register(`${gateway.url}/oidc/callback`);
    const page = await openPage();
    await page.goto(`${gateway.url}/ui?view=1`);
    await logIn(page, "alice");
    await page.waitForURL(`${gateway.url}/ui?view=1`);
    await page.getByText("alice", { exact: true }).waitFor();
    const [session] = (await page.context().cookies()).filter(({ name }) => name === "firesteel-session");
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", secure: false, path: "/" });
    expect(await page.evaluate("document.cookie")).toBe("");
    await gateway.stop();
    const next = await startGateway(...optionsOf(issuer.url), ...key, "--port", new URL(gateway.url).port);
    await page.goto(`${next.url}/ui`);
    await page.getByText("alice", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(`${next.url}/oidc/logged-out`);
    expect(await page.context().cookies(next.url)).not.toContainEqual(expect.objectContaining({ name: session?.name }));
    expect(await page.evaluate("fetch('/api/v1/session').then((response) => response.status)")).toBe(401);
  });

  test("is rejected with another state, and returns to paths of the gateway only", async () => {
    const issuer = await startIssuer();
    const gateway = await startGateway(...optionsOf(issuer.url));
    await issuer.register(`${gateway.url}/oidc/callback`);
    const page = await openPage();
    await page.goto(`${gateway.url}/oidc/login?target=${encodeURIComponent("//evil.example/")}`);
    const forged = await page.context().request.get(`${gateway.url}/oidc/callback?code=x&state=y`);
    expect([forged.status(), await forged.text()]).toEqual([400, expect.stringContaining("This login has expired")]);
    await logIn(page, "bob");
    await page.waitForURL(`${gateway.url}/ui`);
    await page.getByText("bob", { exact: true }).waitFor();
  });

  test("is necessary again without a key file after a restart, which an open page says", async () => {
    const issuer = await startIssuer();
    const gateway = await startGateway(...optionsOf(issuer.url));
    await issuer.register(`${gateway.url}/oidc/callback`);
    const page = await openPage();
    await page.goto(`${gateway.url}/ui`);
    await logIn(page, "alice");
    await page.getByText("Live", { exact: true }).waitFor();
    await gateway.stop();
    await startGateway(...optionsOf(issuer.url), "--port", new URL(gateway.url).port);
    await page.getByText("Session ended; load the page again").waitFor();
    // The issuer still knows the user.
    await page.reload();
    await page.getByText("alice", { exact: true }).waitFor();
  });

  test("that the user cancels is rejected with the issuer's code", async () => {
    const issuer = await startIssuer();
    const gateway = await startGateway(...optionsOf(issuer.url));
    await issuer.register(`${gateway.url}/oidc/callback`);
    const page = await openPage();
    await page.goto(`${gateway.url}/ui`);
    await page.getByRole("link", { name: /Cancel/ }).click();
    await page.getByText("The login was rejected: the issuer responded with access_denied.").waitFor();
    expect(page.url()).toContain("/oidc/callback");
  });
});
