import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listen } from "./hostile-api.ts";
import { run, temporaryDirectory } from "./programs.ts";

const apiVersion = "client.authentication.k8s.io/v1";
const secret = "s3cr3t-opaque-value";

/** Prints an ExecCredential with a status. */
function credential(status: object, version = apiVersion): string {
  return `printf %s '${JSON.stringify({ kind: "ExecCredential", apiVersion: version, status })}'`;
}

interface Plugin {
  /** Shell script. `undefined`: there is no program. */
  readonly script?: string | undefined;
  readonly mode?: number;
  readonly exec?: object;
}

/** Lists drivers as a user whose credentials come from a program. @returns the end of the client, and the tokens that the API received */
async function list({ script, mode = 0o755, exec = {} }: Plugin) {
  const tokens: string[] = [];
  const server = await listen(
    createServer(({ headers }, response) => {
      tokens.push(headers.authorization ?? "none");
      response.end(
        JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] }),
      );
    }),
  );
  const home = temporaryDirectory();
  mkdirSync(join(home, ".kube"));
  const command = join(home, "plugin");
  if (script !== undefined)
    writeFileSync(command, script.startsWith("#!") ? script : `#!/bin/sh\n${script}\n`, { mode });
  const user = { exec: { apiVersion, command, interactiveMode: "Never", ...exec } };
  const kubeconfig = {
    "current-context": "x",
    contexts: [{ name: "x", context: { user: "jane", cluster: "c" } }],
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "jane", user }],
  };
  writeFileSync(join(home, "kubeconfig"), JSON.stringify(kubeconfig));
  const env = { HOME: home, KUBECONFIG: join(home, "kubeconfig") };
  const outcome = await run("firesteel", ["status", "ns:*", "--master", `k8s://${server}`], { env });
  return { ...outcome, tokens };
}

const runItYourself = "Run it yourself to see why; often a login has to be renewed.";
const newerPlugin = "Use a newer version of the program";
const noTime = "gave an expirationTimestamp that is not a time: ";
const headers = "gave a token with a line break or another character that HTTP headers do not allow";

test.each<[string, Plugin, string, string]>([
  ["endless output", { script: "yes" }, "gave more than 1 MiB", runItYourself],
  ["100 MB", { script: "head -c 100000000 /dev/zero" }, "gave more than 1 MiB", runItYourself],
  ["a text that is not JSON", { script: `echo "${secret}"` }, "gave no ExecCredential", runItYourself],
  ["another kind", { script: `printf %s '{"kind":"Pod","apiVersion":"v1"}'` }, "gave no ExecCredential", runItYourself],
  [
    "another version",
    { script: credential({ token: secret }, "client.authentication.k8s.io/v1beta1") },
    `responded with version client.authentication.k8s.io/v1beta1 instead of ${apiVersion}`,
    newerPlugin,
  ],
  [
    "a million brackets",
    { script: "head -c 900000 /dev/zero | tr '\\0' '['" },
    "gave no ExecCredential",
    runItYourself,
  ],
  ["YAML that refers to itself again and again", { script: aliases() }, "gave no ExecCredential", runItYourself],
  ["a token with a line break", { script: credential({ token: `${secret}\nx: y` }) }, headers, runItYourself],
  ["a token with a control character", { script: credential({ token: `${secret}\u0007` }) }, headers, runItYourself],
  ["a token beyond ASCII", { script: credential({ token: `${secret}é` }) }, headers, runItYourself],
  ["a number as token", { script: credential({ token: 7 }) }, "gave neither token nor certificate", runItYourself],
  ["a list as status", { script: credential([]) }, "gave an ExecCredential without status", runItYourself],
  ["no time", { script: credential({ token: secret, expirationTimestamp: "soon" }) }, `${noTime}soon`, runItYourself],
  [
    "half a time",
    { script: credential({ token: secret, expirationTimestamp: "2026" }) },
    `${noTime}2026`,
    runItYourself,
  ],
  ["a number as time", { script: credential({ token: secret, expirationTimestamp: 1 }) }, `${noTime}1`, runItYourself],
  [
    "a certificate without its key",
    { script: credential({ clientCertificateData: secret }) },
    "gave only one of certificate and key",
    runItYourself,
  ],
  [
    "a certificate that is not PEM",
    { script: credential({ clientCertificateData: secret, clientKeyData: secret }) },
    "gave a certificate or key that is not PEM",
    runItYourself,
  ],
  [
    "a failure after its credential",
    { script: `${credential({ token: secret })}; echo "cannot cache ${secret}" >&2; exit 3` },
    "ended with exit status 3: cannot cache *********(redacted)",
    runItYourself,
  ],
  [
    "a failure after its raw token",
    { script: `echo "${secret}"; echo "cannot cache ${secret}" >&2; exit 3` },
    "ended with exit status 3: cannot cache *********(redacted)",
    runItYourself,
  ],
  ["a signal", { script: "kill -9 $$" }, "was ended by SIGKILL", runItYourself],
  [
    "a prompt without a terminal",
    { script: "true", exec: { interactiveMode: "Always" } },
    "wants to ask a person, and stdin is not a terminal",
    "Run this in a terminal",
  ],
  ["no program", { exec: { installHint: "brew install plugin" } }, "is not installed", "brew install plugin"],
  [
    "a file that is not executable",
    { script: "true", mode: 0o644 },
    "is not executable",
    "Make it executable: chmod +x ",
  ],
  ["a directory", { exec: { command: "/tmp" } }, "is a directory", "Set command to the program"],
  ["a missing interpreter", { script: "#!/nowhere/sh\n" }, "could not be started (spawn ", runItYourself],
])("a credential program with %s is reported once, without secrets", async (_, plugin, problem, hint) => {
  const { exit, stderr, stdout, tokens } = await list(plugin);
  const lines = (start: string) => stderr.split("\n").filter((line) => line.startsWith(start));
  expect([exit, lines("Error: "), lines("Hint: "), tokens]).toEqual([
    1,
    [expect.stringMatching(/^Error: The credential plugin \S+ of the kubeconfig's user jane /)],
    [expect.stringContaining(hint)],
    [],
  ]);
  expect(lines("Error: ")[0]).toContain(` jane ${problem}`);
  expect(`${stdout}${stderr}`).not.toContain(secret);
  expect(stderr).not.toMatch(/^ +at /m);
});

/** Prints YAML whose aliases stand for millions of values. */
function aliases(): string {
  const levels = ["b", "c", "d", "e", "f", "g"].map((name, index) => {
    const last = String.fromCharCode("a".charCodeAt(0) + index);
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${last}`).join(",")}]`;
  });
  return `printf %s '${["a: &a [x,x,x]", ...levels, "kind: *g"].join("\n")}'`;
}

test.each<[string, Plugin]>([
  ["that ends with a line break", { script: credential({ token: "t\n" }) }],
  ["although it reads from stdin", { script: `read answer; ${credential({ token: "t" })}` }],
  [
    "although it prints without end to stderr",
    { script: `head -c 9000000 /dev/zero >&2; ${credential({ token: "t" })}` },
  ],
  ["although a process that it started goes on", { script: `sleep 30 & ${credential({ token: "t" })}` }],
])("a credential program gives a token %s", async (_, plugin) => {
  const { tokens, stderr } = await list(plugin);
  expect([new Set(tokens), stderr]).toEqual([new Set(["Bearer t"]), expect.stringContaining("No applications found")]);
});

test("a credential that has expired is used, with a warning", async () => {
  const script = credential({ token: "t", expirationTimestamp: "2020-01-01T00:00:00Z" });
  const { tokens, stderr } = await list({ script });
  expect([...new Set(tokens)]).toEqual(["Bearer t"]);
  expect(stderr).toMatch(/gave a credential that expired at 2020-01-01T00:00:00.000Z/);
});
