import { createServer, type IncomingMessage } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import { defaultCredentials } from "./default-credentials.ts";

const noMachine = { AWS_EC2_METADATA_DISABLED: "true" };

function find(options: TestHostOptions = {}, region?: string) {
  const host = testHost({ ...options, env: { ...noMachine, ...options.env } });
  return { host, credentials: defaultCredentials(host, region) };
}

/** Starts a service on this machine and returns its URL. */
async function serve(respond: (request: IncomingMessage, body: string) => string): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => response.end(respond(request, body)));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

const sts = (key: string) =>
  `<R><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-01-02T04:00:00Z</Expiration></Credentials></R>`;

describe("credentials", () => {
  test("come from the environment first", async () => {
    const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s", AWS_SESSION_TOKEN: "t" };
    const files = {
      "/home/tester/.aws/credentials": "[default]\naws_access_key_id=b\naws_secret_access_key=s",
    };
    const { credentials } = find({ env, files });
    expect(await credentials()).toEqual({ accessKeyId: "a", secretAccessKey: "s", sessionToken: "t" });
  });

  test("come from a profile that is merged from both files", async () => {
    const files = {
      "/home/tester/.aws/config": "[profile me]\nregion = eu-west-1\naws_access_key_id = old\n",
      "/home/tester/.aws/credentials":
        "# comment\n[me]\r\naws_access_key_id = k ; comment\naws_secret_access_key=a=b/c+\n[other]\naws_access_key_id=o\n",
    };
    const { credentials } = find({ env: { AWS_PROFILE: "me" }, files });
    expect(await credentials()).toMatchObject({ accessKeyId: "k", secretAccessKey: "a=b/c+" });
    const lost = find({ env: { AWS_PROFILE: "missing" }, files });
    await expect(lost.credentials()).rejects.toThrow("there is no profile missing");
  });

  test("come from the output of a program", async () => {
    const files = { "/home/tester/.aws/config": "[default]\ncredential_process = /bin/get keys\n" };
    const json = JSON.stringify({ Version: 1, AccessKeyId: "p", SecretAccessKey: "s", SessionToken: "t" });
    const { credentials, host } = find({
      files,
      spawn: (child) => {
        child.write(1, json);
        child.exit(0);
      },
    });
    expect(await host.settle(credentials())).toMatchObject({ accessKeyId: "p", sessionToken: "t" });
    expect(host.children[0]?.args).toEqual(["-c", "/bin/get keys"]);
  });

  test("do not come from a program that prints more than 1 MiB", async () => {
    const { credentials, host } = find({
      files: { "/home/tester/.aws/config": "[default]\ncredential_process = yes\n" },
      spawn: (child) => {
        for (let count = 0; count < 3; count += 1) child.write(1, "y\n".repeat(200_000));
        child.exit(0);
      },
    });
    await expect(host.settle(credentials())).rejects.toThrow("printed more than 1 MiB");
  });

  test("come from the role of a web identity", async () => {
    const requestBodies: string[] = [];
    const url = await serve((_, body) => {
      requestBodies.push(body);
      return sts("role");
    });
    const env = { AWS_ROLE_ARN: "arn:r", AWS_WEB_IDENTITY_TOKEN_FILE: "/token", AWS_ENDPOINT_URL_STS: url };
    const { credentials } = find({ env, files: { "/token": "jwt\n" } });
    const expiresAtMs = Date.UTC(2026, 0, 2, 4);
    expect(await credentials()).toMatchObject({ accessKeyId: "role", sessionToken: "t", expiresAtMs });
    expect(requestBodies[0]).toContain("RoleArn=arn%3Ar&RoleSessionName=firesteel&WebIdentityToken=jwt");
  });

  test("come from a role that the keys of another profile can assume", async () => {
    const heads: unknown[] = [];
    const url = await serve((request, body) => {
      heads.push([request.headers.authorization?.split(",")[0], body]);
      return sts("assumed");
    });
    const config =
      "[default]\nrole_arn=arn:r\nsource_profile=base\nexternal_id=x\n[profile base]\naws_access_key_id=k\naws_secret_access_key=s\n";
    const { credentials } = find({
      env: { AWS_ENDPOINT_URL_STS: url },
      files: { "/home/tester/.aws/config": config },
    });
    expect(await credentials()).toMatchObject({ accessKeyId: "assumed" });
    expect(heads).toEqual([
      [
        "AWS4-HMAC-SHA256 Credential=k/20260102/us-east-1/sts/aws4_request",
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Ar&RoleSessionName=firesteel&ExternalId=x",
      ],
    ]);
  });

  test("come from a container's service and are refreshed before they expire", async () => {
    let count = 0;
    const url = await serve(({ headers }) => {
      count += 1;
      const Expiration = new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + count * 3_600_000).toISOString();
      return JSON.stringify({
        AccessKeyId: `${headers.authorization}-${count}`,
        SecretAccessKey: "s",
        Expiration,
      });
    });
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: url, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/t" };
    const { credentials, host } = find({ env, files: { "/t": "tok\n" } });
    const keys = async (host: TestHost, ms: number) => {
      await host.advance(ms);
      return (await credentials()).accessKeyId;
    };
    expect(await keys(host, 0)).toBe("tok-1");
    expect(await keys(host, 54 * 60_000)).toBe("tok-1");
    expect(await keys(host, 60_000)).toBe("tok-2");
  });

  test("are not fetched in clear text from another machine", async () => {
    const { credentials } = find({ env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://10.0.0.1/c" } });
    await expect(credentials()).rejects.toThrow("neither https nor on this machine");
  });

  test("come from version 2 of the EC2 metadata service", async () => {
    const paths: string[] = [];
    const url = await serve(({ method, url: path = "", headers }) => {
      paths.push(`${method} ${path} ${headers["x-aws-ec2-metadata-token"] ?? ""}`);
      if (path.endsWith("token")) return "tok";
      return path.endsWith("/") ? "role\n" : JSON.stringify({ AccessKeyId: "m", SecretAccessKey: "s", Token: "t" });
    });
    const env = { AWS_EC2_METADATA_DISABLED: "", AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    expect(await find({ env }).credentials()).toMatchObject({ accessKeyId: "m", sessionToken: "t" });
    expect(paths).toEqual([
      "PUT /latest/api/token ",
      "GET /latest/meta-data/iam/security-credentials/ tok",
      "GET /latest/meta-data/iam/security-credentials/role tok",
    ]);
  });

  test("from the metadata service that are not JSON are reported as an error", async () => {
    const url = await serve(({ url: path = "" }) => (path.endsWith("/") ? "role\n" : "tok"));
    const env = { AWS_EC2_METADATA_DISABLED: "", AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    await expect(find({ env }).credentials()).rejects.toThrow(`${url} did not return JSON`);
  });

  test("of a role with a second factor are left to the AWS tools", async () => {
    const config =
      "[default]\nrole_arn=arn:r\nsource_profile=base\nmfa_serial=arn:m\n[profile base]\naws_access_key_id=k\naws_secret_access_key=s\n";
    const { credentials } = find({ files: { "/home/tester/.aws/config": config } });
    await expect(credentials()).rejects.toThrow(/second factor; .*export-credentials --profile default/);
  });

  test("that do not exist are reported with the sources searched", async () => {
    await expect(find().credentials()).rejects.toThrow("no credentials for S3 found in");
    const files = { "/home/tester/.aws/config": "[default]\nsso_session = corp\n" };
    await expect(find({ files }).credentials()).rejects.toThrow("export-credentials");
  });
});
