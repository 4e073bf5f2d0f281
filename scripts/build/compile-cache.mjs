import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

/**
 * Runs the programs and writes the code that V8 compiled beside each chunk in `bin/parts`, as `NAME.cjs.cache`.
 *
 * V8 keeps the functions that ran, so each program runs the command lines that must start fast: submissions to an API server that
 * accepts every object, over TLS, then help texts and rejections.
 */
export async function cacheCompiledCode(root, bin, programs) {
  // Run a copy, so that the cache cannot contain the path of this clone.
  const directory = mkdtempSync(join(tmpdir(), "firesteel-build-"));
  const server = await startAcceptingServer(root, directory);
  try {
    const parts = join(directory, "bin", "parts");
    cpSync(bin, join(directory, "bin"), { recursive: true });
    for (const [program, commands] of commandLines(server.url, programs)) {
      await runProgram(root, join(directory, "bin", `${program}.cjs`), commands, {
        PATH: process.env.PATH,
        HOME: directory,
        KUBECONFIG: server.kubeconfig,
        FIRESTEEL_CODE_CACHE: "off",
      });
    }
    for (const name of readdirSync(parts).filter((file) => file.endsWith(".cache"))) {
      copyFileSync(join(parts, name), join(bin, "parts", name));
    }
  } finally {
    server.close();
    rmSync(directory, { recursive: true });
  }
}

/** The runs of each program: arguments and the expected exit code. One process executes all runs of an entry. */
function commandLines(url, programs) {
  const submission = (image) => [
    ...["--master", `k8s://${url}`, "--deploy-mode", "cluster", "--name", "build", "--class", "Main"],
    ...["--conf", "spark.executor.instances=2", "--conf", image],
    ...["--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar", "1"],
  ];
  const complete = submission("spark.kubernetes.container.image=spark:4.3.0");
  const withoutImage = submission("spark.kubernetes.namespace=spark");
  const help = { args: ["--help"], exit: 0 };
  const version = { args: ["--version"], exit: 0 };
  const unknownOption = { args: ["--no-such-option"], exit: 1 };
  const rejected = { args: ["--master", "local", "--deploy-mode", "cluster", "app.jar"], exit: 1 };
  return [
    ["spark-submit", [{ args: complete, exit: 0 }, version, help, unknownOption, rejected]],
    ["firesteel", [{ args: ["submit", ...complete], exit: 0 }, version, help]],
    ["spark-submit", [{ args: withoutImage, exit: 1 }]],
    // Spark's own code prints the usage text of spark-pipelines.
    ...programs.filter((name) => name !== "spark-pipelines").map((name) => [name, [help]]),
  ];
}

function runProgram(root, program, commands, env) {
  const preload = join(root, "scripts", "build", "cache-at-exit.cjs");
  const args = ["--use-openssl-ca", "--require", preload, program];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...env, FIRESTEEL_COMMANDS: JSON.stringify(commands) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        printed += chunk;
      });
    }
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} failed during the build:\n${printed}`)),
    );
  });
}

/** Starts an API server that accepts every object, and writes a kubeconfig for it. */
async function startAcceptingServer(root, directory) {
  const { authority, cert, key } = await createCertificates(root, directory);
  const server = createServer({ cert, key }, acceptObject);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${server.address().port}`;
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, printKubeconfig(url, authority));
  return { url, kubeconfig, close: () => server.close() };
}

/** Creates a certificate authority and a server certificate, in PEM, with the project's own code. */
async function createCertificates(root, directory) {
  const input = {
    host: "src/host/node-host.ts",
    certificate: "src/local-cluster/certificates/certificate.ts",
  };
  const bundle = await rolldown({ cwd: root, input, platform: "node", logLevel: "warn" });
  await bundle.write({
    dir: directory,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  });
  const load = (name) => import(pathToFileURL(join(directory, `${name}.mjs`)).href);
  const [{ nodeHost }, { createAuthority, createServerCertificate }] = await Promise.all(Object.keys(input).map(load));
  const authority = createAuthority(nodeHost(), "build authority");
  const server = createServerCertificate(nodeHost(), { authority, name: "build", names: ["127.0.0.1"] });
  return { authority: authority.certificatePem, cert: server.certificatePem, key: server.privateKeyPem };
}

function acceptObject(request, response) {
  const body = [];
  request.on("data", (chunk) => body.push(chunk));
  request.on("end", () => {
    const object = JSON.parse(Buffer.concat(body).toString("utf8"));
    object.metadata.uid = "00000000-0000-4000-8000-000000000001";
    response.writeHead(201, { "content-type": "application/json" });
    response.end(JSON.stringify(object));
  });
}

/** In block style, as kubectl writes it: then a submission does not load js-yaml. */
function printKubeconfig(url, authority) {
  return `apiVersion: v1
kind: Config
current-context: build
contexts:
- name: build
  context:
    cluster: build
    user: build
clusters:
- name: build
  cluster:
    server: ${url}
    certificate-authority-data: ${Buffer.from(authority).toString("base64")}
users:
- name: build
  user:
    token: "build"
`;
}
