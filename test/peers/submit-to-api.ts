import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { KubeResource } from "../../src/kube/types.ts";
import { type DelegationToken, parseTokenStorage } from "../../src/values/delegation-token.ts";
import { createNamespace, objectsIn, startApi } from "../acceptance/embedded-api.ts";
import { openFaultProxy } from "../acceptance/fault-proxy.ts";
import { type Outcome, run, temporaryDirectory } from "../acceptance/programs.ts";

/** End of a submission, and the objects that it created. */
export interface Submitted extends Outcome {
  readonly objects: readonly KubeResource[];
}

/** Submits a driver to a Kubernetes API without nodes, with further arguments of `spark-submit`: Firesteel's, or that of a Spark. */
export async function submitToApi(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  apache?: { readonly home: string },
): Promise<Submitted> {
  const cluster = await startApi(temporaryDirectory());
  const proxy = await openFaultProxy(cluster.transport, () => "pass");
  try {
    await createNamespace(cluster, "kerberos");
    const settings = [
      ...["spark.kubernetes.namespace=kerberos", "spark.kubernetes.container.image=spark"],
      ...["spark.kubernetes.submission.waitAppCompletion=false", "spark.kubernetes.driver.pod.name=driver"],
    ];
    const conf = settings.flatMap((setting) => ["--conf", setting]);
    const master = ["--master", `k8s://${proxy.url}`, "--deploy-mode", "cluster"];
    const all = [...master, ...conf, ...args];
    const outcome =
      apache === undefined ? await run("spark-submit", all, { env }) : await runApache(apache.home, all, env);
    return { ...outcome, objects: await objectsIn(cluster, "kerberos") };
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
