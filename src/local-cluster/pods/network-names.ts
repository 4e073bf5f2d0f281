import type { Host } from "../../host/host.ts";
import type { Store, StoreEvent } from "../api/store.ts";
import { type AddressOf, serviceNames } from "./endpoints.ts";
import { hostsFileText } from "./hosts-file.ts";
import type { HostsLine } from "./machine-names.ts";
import { isPod, type StoredPod } from "./stored-object.ts";

/** Addresses and names of pods. */
export interface NetworkNames {
  /**
   * Assigns a pod an address and a hosts file; returns `undefined` when no address is free. Idempotent for a pod that
   * has an address.
   */
  readonly assign: (pod: StoredPod, hostsFile: string) => string | undefined;
  /** Returns the address of a pod. */
  readonly addressOf: AddressOf;
  /** Releases the address and the hosts file. */
  readonly release: (uid: string) => void;
  /** Writes changes into all hosts files immediately. */
  readonly refresh: () => void;
  readonly stop: () => void;
}

interface NetworkNamesOptions {
  readonly host: Pick<Host, "files" | "clock">;
  readonly store: Store;
  /** `.1` of the pods' /24. */
  readonly apiAddress: string;
  /** Addresses are only displayed, without limit, and pods have no hosts files. */
  readonly isFake: boolean;
  /** Additional names of each pod's address in its own hosts file. */
  readonly aliases: readonly string[];
  /** Returns the names of this machine, with the addresses at which a pod reaches them. */
  readonly machineFor: (pod: StoredPod) => readonly HostsLine[];
}

interface Member {
  readonly address: string;
  readonly hostsFile: string;
  pod: StoredPod;
  text: string;
}

/** Delay before a failed write of a hosts file is retried. */
const retryMs = 2_000;

const firstHost = 2;
const lastHost = 199;

/**
 * Assigns addresses `.2` to `.199` of the API's /24 in turn, so that a released one is not reused soon. Writes a
 * hosts file for each pod, and rewrites it in place when a service or one of its pods changes, because the pod mounts
 * that file.
 */
export function networkNames(options: NetworkNamesOptions): NetworkNames {
  const state: NamesState = {
    ...{ options, members: new Map(), lastAssigned: firstHost - 1, cancelRefresh: undefined },
    addressOf: ({ metadata }) => state.members.get(metadata.uid)?.address,
  };
  const unsubscribe = options.store.subscribe((event) => handleEvent(state, event));
  return {
    assign: (pod, hostsFile) => assign(state, pod, hostsFile),
    addressOf: state.addressOf,
    release(uid) {
      state.members.delete(uid);
    },
    refresh: () => refresh(state),
    stop() {
      unsubscribe();
      state.cancelRefresh?.();
      state.members.clear();
    },
  };
}

interface NamesState {
  readonly options: NetworkNamesOptions;
  /** Pods with an address, by uid. */
  readonly members: Map<string, Member>;
  readonly addressOf: AddressOf;
  /** Number of the last assigned address. */
  lastAssigned: number;
  cancelRefresh: (() => void) | undefined;
}

function assign(state: NamesState, pod: StoredPod, hostsFile: string): string | undefined {
  const { uid } = pod.metadata;
  const known = state.members.get(uid);
  if (known !== undefined) return known.address;
  const address = pod.spec.hostNetwork === true ? state.options.apiAddress : freeAddress(state);
  if (address === undefined) return undefined;
  state.members.set(uid, { address, hostsFile, pod, text: "" });
  refresh(state);
  return address;
}

function freeAddress(state: NamesState): string | undefined {
  const { apiAddress, isFake } = state.options;
  if (isFake) {
    state.lastAssigned += 1;
    const number = state.lastAssigned;
    return `10.${number >> 16}.${(number >> 8) & 0xff}.${number & 0xff}`;
  }
  const prefix = apiAddress.slice(0, apiAddress.lastIndexOf(".") + 1);
  const used = new Set([...state.members.values()].map(({ address }) => address));
  for (let count = firstHost; count <= lastHost; count += 1) {
    state.lastAssigned = state.lastAssigned >= lastHost ? firstHost : state.lastAssigned + 1;
    if (!used.has(`${prefix}${state.lastAssigned}`)) return `${prefix}${state.lastAssigned}`;
  }
  return undefined;
}

function handleEvent(state: NamesState, { collection, object }: StoreEvent): void {
  if (collection !== "services" && collection !== "pods") return;
  const member = state.members.get(object.metadata.uid);
  if (member !== undefined && isPod(object)) member.pod = object;
  // Coalesces a burst of changes into one write.
  if (state.members.size > 0) state.cancelRefresh ??= state.options.host.clock.after(0, () => refresh(state));
}

/** Writes changes into all hosts files. */
function refresh(state: NamesState): void {
  const { host, store, apiAddress, aliases, machineFor, isFake } = state.options;
  state.cancelRefresh?.();
  state.cancelRefresh = undefined;
  if (isFake) return;
  const services = serviceNames(store, state.addressOf, apiAddress);
  for (const member of state.members.values()) {
    const { pod, address, hostsFile } = member;
    const text = hostsFileText({ pod, address, services, aliases, machine: machineFor(pod) });
    if (text === member.text) continue;
    try {
      writeInPlace(host.files, hostsFile, { before: member.text, after: text });
      member.text = text;
    } catch {
      // Typically the disk is full.
      member.text = "";
      state.cancelRefresh ??= host.clock.after(retryMs, () => refresh(state));
    }
  }
}

// A reader may open the file at any time and must not find it empty: if no line is removed, only append.
function writeInPlace(
  files: Host["files"],
  path: string,
  { before, after }: { readonly before: string; readonly after: string },
): void {
  const old = new Set(before.split("\n"));
  const lines = after.split("\n");
  const isAppendOnly = before !== "" && [...old].every((line) => lines.includes(line));
  const added = lines.filter((line) => !old.has(line)).map((line) => `${line}\n`);
  if (isAppendOnly) files.append(path, added.join(""));
  else files.write(path, after);
}
