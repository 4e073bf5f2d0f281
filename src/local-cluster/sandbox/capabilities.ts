/** Capabilities that a container's user 0 can have, by their names in Kubernetes: `CHOWN` is the kernel's CAP_CHOWN. */
export type Capability = (typeof defaultCapabilities)[number] | (typeof additionalCapabilities)[number];

/**
 * Capabilities of user 0 by default.
 *
 * These are the 14 of containerd and Docker without MKNOD and NET_RAW: there is neither a control group for devices nor a
 * network namespace to confine them to. Source: containerd 2, pkg/oci/spec.go, `defaultUnixCaps`.
 */
export const defaultCapabilities = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
] as const;

/** Further capabilities that a pod can add: with any other one, a process can leave the sandbox or change this machine. */
const additionalCapabilities = ["IPC_LOCK", "NET_RAW", "SYS_NICE"] as const;

const grantable: readonly Capability[] = [...defaultCapabilities, ...additionalCapabilities];

/**
 * Computes the capabilities of a container's user 0. Other users have none.
 *
 * Names that cannot be granted are ignored. `ALL` and the order (add, then drop) are containerd's. Source: containerd 2,
 * internal/cri/server/container_create_linux.go.
 */
export function capabilitiesOf({
  add = [],
  drop = [],
}: {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}): readonly Capability[] {
  const [added, dropped] = [upperCase(add), upperCase(drop)];
  const base = dropped.has("ALL") ? [] : added.has("ALL") ? grantable : defaultCapabilities;
  const selected = new Set<string>([...base, ...added].filter((name) => !dropped.has(name)));
  return grantable.filter((name) => selected.has(name));
}

function upperCase(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toUpperCase()));
}
