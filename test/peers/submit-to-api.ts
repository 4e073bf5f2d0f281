import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { KubeResource } from "../../src/kube/types.ts";
import { type DelegationToken, parseTokenStorage } from "../../src/values/delegation-token.ts";
import { createNamespace, objectsIn, startApi } from "../acceptance/embedded-api.ts";
import { openFaultProxy, type RecordedRequest, type RequestOutcome } from "../acceptance/fault-proxy.ts";
import { type Outcome, run, start, temporaryDirectory } from "../acceptance/programs.ts";
import { dataOf } from "../staging/push-submission.ts";

/** End of a submission, and the objects that it created. */
export interface Submitted extends Outcome {
  readonly objects: readonly KubeResource[];
}

/** Submits a driver to a Kubernetes API without nodes, with further arguments of `spark-submit`: Firesteel's, or that of a Spark. */
export function submitToApi(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  apache?: { readonly home: string },
): Promise<Submitted> {
  return withApi("pass", async ({ target, objects }) => {
    const all = [...target, ...args];
    const outcome =
      apache === undefined ? await run("spark-submit", all, { env }) : await runApache(apache.home, all, env);
    return { ...outcome, objects: await objects() };
  });
}

/**
 * Interrupts a submission while the API creates the driver's pod. Calls `onHeld` with the other objects before. Returns what the
 * submission leaves.
 */
export function interruptAtApi(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onHeld: (objects: readonly KubeResource[]) => Promise<void>,
): Promise<Submitted> {
  return withApi("hold-before", async ({ target, objects, held }) => {
    const { child, ended } = start("spark-submit", [...target, ...args], { env });
    const outcome = await Promise.race([held, ended]);
    if ("exit" in outcome) throw new Error(`it ended before it created the pod: ${outcome.stderr}`);
    await onHeld(await objects());
    child.kill("SIGINT");
    return { ...(await ended), objects: await objects() };
  });
}

interface SubmissionApi {
  /** Arguments that name the API, a namespace and an image. */
  readonly target: readonly string[];
  readonly objects: () => Promise<readonly KubeResource[]>;
  /** Resolves when the creation of the driver's pod is held. */
  readonly held: Promise<RecordedRequest>;
}

async function withApi<T>(podCreation: RequestOutcome, use: (api: SubmissionApi) => Promise<T>): Promise<T> {
  const cluster = await startApi(temporaryDirectory());
  const isPodCreation = ({ method, path }: RecordedRequest) => method === "POST" && /\/pods(\?|$)/.test(path);
  const proxy = await openFaultProxy(cluster.transport, (visit) => (isPodCreation(visit) ? podCreation : "pass"));
  try {
    await createNamespace(cluster, "kerberos");
    const settings = [
      ...["spark.kubernetes.namespace=kerberos", "spark.kubernetes.container.image=spark"],
      ...["spark.kubernetes.submission.waitAppCompletion=false", "spark.kubernetes.driver.pod.name=driver"],
    ];
    const conf = settings.flatMap((setting) => ["--conf", setting]);
    const target = ["--master", `k8s://${proxy.url}`, "--deploy-mode", "cluster", ...conf];
    return await use({ target, objects: () => objectsIn(cluster, "kerberos"), held: proxy.held });
  } finally {
    await proxy.close();
    await cluster.stop();
  }
}

async function runApache(
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const child = spawn(join(home, "bin", "spark-submit"), args, { env: { ...process.env, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { exit: code, stdout, stderr };
}

/** Returns the delegation tokens in the Secret of a driver, by alias. */
export function tokensIn({ objects }: Pick<Submitted, "objects">): ReadonlyMap<string, DelegationToken> {
  const secret = objects.find(({ kind }) => kind === "Secret");
  const data = secret !== undefined && "data" in secret ? JSON.stringify(secret["data"]) : "";
  const [, base64 = ""] = /"hadoop-tokens":"([^"]*)"/.exec(data) ?? [];
  return parseTokenStorage(Buffer.from(base64, "base64")).tokens;
}

/** Returns the URLs with which the init container of a driver fetches remote files, in the order of the files. */
export function remoteUrlsIn(objects: readonly KubeResource[]): readonly string[] {
  const urls: unknown = JSON.parse(
    Buffer.from(dataOf(objects, "-deps-token", "remote-urls.json"), "base64").toString(),
  );
  return Array.isArray(urls) ? urls.flat().map(String) : [];
}
