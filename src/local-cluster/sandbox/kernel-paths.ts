import type { Files } from "../../host/host.ts";

/** Paths below `/proc` that change the kernel, or print its state. */
const readOnlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/** Paths below `/proc` that reveal state of this machine: devices, keys, memory, timers. */
const maskedPaths = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
];

/** Paths of the kernel that a container must not change or read; each exists on this machine. */
export interface KernelPaths {
  readonly readOnly: readonly string[];
  /** Files that read as empty. */
  readonly maskedFiles: readonly string[];
  /** Directories that are empty. */
  readonly maskedDirectories: readonly string[];
}

/**
 * Selects the paths of the kernel that container runtimes protect. File permissions do not protect them from user 0,
 * even without capabilities: the kernel compares the user ID only.
 *
 * Source: Moby 29, daemon/pkg/oci/defaults.go, which containerd 2 shares; containers have no `/sys`.
 */
export function kernelPaths(files: Files): KernelPaths {
  const kindOf = (path: string) => files.info(path, { followLinks: false })?.kind;
  return {
    readOnly: readOnlyPaths.filter((path) => kindOf(path) !== undefined),
    maskedFiles: maskedPaths.filter((path) => kindOf(path) === "file"),
    maskedDirectories: maskedPaths.filter((path) => kindOf(path) === "directory"),
  };
}
