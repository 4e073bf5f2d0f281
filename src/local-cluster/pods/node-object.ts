import type { Host } from "../../host/host.ts";
import { diskSize } from "../../host/node-disk-size.ts";
import { embeddedRuntimePrefix } from "../../values/embedded-image.ts";
import { timestamp } from "../api/timestamp.ts";

/** Name of the only node. */
export const nodeName = "local";

/** Resources that the node offers to pods. */
export interface Allocatable {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** Disk size assumed if the file system reports none. */
const defaultDiskBytes = 100 * 1024 ** 3;

/** Determines the resources of this machine that pods can request: all CPUs and memory, and the disk of a path. */
export function readAllocatable({ machine }: Host, path: string): Allocatable {
  const { cpus, memoryBytes } = machine;
  return { cpus, memoryBytes, diskBytes: diskSize(path) ?? defaultDiskBytes };
}

/** Builds the Node object of this machine, without its images. */
export function nodeObject(host: Host, address: string, allocatable: Allocatable) {
  const arch = host.arch === "x64" ? "amd64" : host.arch;
  const labels = {
    "beta.kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": arch,
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": "linux",
  };
  const resources = resourcesOf(allocatable);
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: nodeName, labels }, spec: {} },
    status: {
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: nodeName },
      ],
      ...{ capacity: resources, allocatable: resources, conditions: nodeConditions(host) },
      nodeInfo: nodeInfo(host, arch),
    },
  };
}

function resourcesOf({ cpus, memoryBytes, diskBytes }: Allocatable): Readonly<Record<string, string>> {
  const kibi = (bytes: number) => `${Math.floor(bytes / 1024)}Ki`;
  return { cpu: String(cpus), "ephemeral-storage": kibi(diskBytes), memory: kibi(memoryBytes), pods: "10000" };
}

/** Builds the conditions of a healthy node, with the kubelet's reasons and messages. */
function nodeConditions({ clock }: Host): readonly object[] {
  const now = timestamp(clock.now());
  const conditions = [
    ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
  ] as const;
  return conditions.map(([type, status, reason, message]) => ({
    ...{ type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now },
  }));
}

function nodeInfo(host: Host, arch: string): object {
  return {
    architecture: arch,
    bootID: "",
    containerRuntimeVersion: `${embeddedRuntimePrefix}1`,
    kernelVersion: host.files.readText("/proc/sys/kernel/osrelease")?.trim() ?? "",
    kubeProxyVersion: "",
    kubeletVersion: "v1.35.4",
    machineID: "",
    operatingSystem: "linux",
    osImage: osImage(host),
    systemUUID: "",
  };
}

function osImage({ files, platform }: Host): string {
  const text = files.readText("/etc/os-release") ?? "";
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(text)?.[1] ?? platform;
}
