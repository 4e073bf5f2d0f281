import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost } from "../../src/host/node-host.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { startCluster } from "../../src/local-cluster/index.ts";
import { type Requirement, sandboxRequirements } from "../requirements.ts";
import { openKubeconfig } from "./target.ts";

/** A cluster that runs pods. */
export interface PodCluster {
  readonly name: string;
  readonly required: Requirement | object;
  /** Opens the cluster. */
  readonly open: () => Promise<OpenPodCluster>;
  /** Whether containers have their own files, names and processes. */
  readonly isolates: boolean;
}

export interface OpenPodCluster {
  /** Transport with the administrator's permissions. */
  readonly transport: Transport;
  /** An image with a shell, coreutils and Python. */
  readonly image: string;
  readonly close: () => Promise<void>;
}

/** Lists the embedded cluster with each sandbox, and the cluster of a kubeconfig if one is specified. */
export function podClusters(
  kubeconfig = process.env["FIRESTEEL_CONTRACT_KUBECONFIG"],
  image = process.env["FIRESTEEL_CONTRACT_IMAGE"] ?? "debian:12",
): readonly PodCluster[] {
  const embedded = (["bwrap", "unshare", "process"] as const).map((sandbox) => ({
    name: `the embedded cluster by ${sandbox}`,
    isolates: sandbox !== "process",
    required: sandboxRequirements[sandbox],
    open: () => openEmbedded(sandbox),
  }));
  if (kubeconfig === undefined) return embedded;
  const open = async () => ({ ...openKubeconfig(kubeconfig), image });
  return [{ name: "the cluster of the kubeconfig", isolates: true, required: {}, open }, ...embedded];
}

async function openEmbedded(sandbox: "bwrap" | "unshare" | "process"): Promise<OpenPodCluster> {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-pods-"));
  const options = { directory, sandbox, apiOnly: false, sparkHomes: [], javaHome: undefined };
  const cluster = await startCluster(nodeHost(), options);
  return {
    transport: cluster.transport,
    image: "debian:12",
    async close() {
      await cluster.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
