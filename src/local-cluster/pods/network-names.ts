import type { Host } from "../../host/host.ts";
import type { Store } from "../api/store.ts";
import { type AddressOf, serviceNames } from "./endpoints.ts";
import { hostsFileText } from "./hosts-file.ts";
import type { HostsLine } from "./machine-names.ts";
import { isPod, type StoredPod } from "./stored-pod.ts";

/** The addresses and names of pods. */
export interface NetworkNames {
  /** Gives a pod an address and a hosts file; `undefined` when no address is free. The same again for a pod that has one. */
  readonly join: (pod: StoredPod, hostsFile: string) => string | undefined;
  /** The address that a pod has. */
  readonly addressOf: AddressOf;
  /** Takes both back. */
  readonly leave: (uid: string) => void;
  /** Writes what changed since into all hosts files, at once. */
  readonly refresh: () => void;
  readonly stop: () => void;
}

/** What names are made of. */
export interface NetworkNamesOptions {
  readonly host: Pick<Host, "files" | "clock">;
  readonly store: Store;
  /** `.1` of the /24 that pods live in. */
  readonly apiAddress: string;
  /** Pods have addresses for show only, as many as are wanted, and no hosts files. */
  readonly isPlayed: boolean;
  /** Further names of each pod's address, in its own eyes. */
  readonly aliases: readonly string[];
  /** Names of this machine. */
  readonly machine: readonly HostsLine[];
}

interface Member {
  readonly address: string;
  readonly hostsFile: string;
  pod: StoredPod;
  text: string;
}

/** A hosts file that could not be written is written again then. */
const retryMs = 2_000;

const firstHost = 2;
const lastHost = 199;

/**
 * Addresses `.2` to `.199` of the API's /24, given out in turn so that one is not used again soon, and a hosts file
 * for each pod, rewritten in place when a service or a pod behind one changes: the pod has the very file mounted.
 */
export function networkNames(options: NetworkNamesOptions): NetworkNames {
  const { host, store, apiAddress, aliases, machine, isPlayed } = options;
  const members = new Map<string, Member>();
  const prefix = apiAddress.slice(0, apiAddress.lastIndexOf(".") + 1);
  let lastGiven = firstHost - 1;
  let cancelRefresh: (() => void) | undefined;

  function freeAddress(): string | undefined {
    if (isPlayed) {
      lastGiven += 1;
      return `10.${lastGiven >> 16}.${(lastGiven >> 8) & 0xff}.${lastGiven & 0xff}`;
    }
    const taken = new Set([...members.values()].map(({ address }) => address));
    for (let count = firstHost; count <= lastHost; count += 1) {
      lastGiven = lastGiven >= lastHost ? firstHost : lastGiven + 1;
      if (!taken.has(`${prefix}${lastGiven}`)) return `${prefix}${lastGiven}`;
    }
    return undefined;
  }

  const addressOf: AddressOf = ({ metadata }) => members.get(metadata.uid)?.address;

  function refresh(): void {
    cancelRefresh?.();
    cancelRefresh = undefined;
    if (isPlayed) return;
    const services = serviceNames(store, addressOf, apiAddress);
    for (const member of members.values()) {
      const { pod, address, hostsFile } = member;
      const text = hostsFileText({ pod, address, services, aliases, machine });
      if (text === member.text) continue;
      try {
        writeInPlace(host.files, hostsFile, { before: member.text, after: text });
        member.text = text;
      } catch {
        // The disk is full, mostly.
        member.text = "";
        cancelRefresh ??= host.clock.after(retryMs, refresh);
      }
    }
  }

  const unsubscribe = store.subscribe(({ collection, object }) => {
    if (collection !== "services" && collection !== "pods") return;
    const member = members.get(object.metadata.uid);
    if (member !== undefined && isPod(object)) member.pod = object;
    // A burst of changes is written once.
    if (members.size > 0) cancelRefresh ??= host.clock.after(0, refresh);
  });

  return {
    join(pod, hostsFile) {
      const { uid } = pod.metadata;
      const known = members.get(uid);
      if (known !== undefined) return known.address;
      const address = pod.spec.hostNetwork === true ? apiAddress : freeAddress();
      if (address === undefined) return undefined;
      members.set(uid, { address, hostsFile, pod, text: "" });
      refresh();
      return address;
    },
    addressOf,
    leave(uid) {
      members.delete(uid);
    },
    refresh,
    stop() {
      unsubscribe();
      cancelRefresh?.();
      members.clear();
    },
  };
}

// A reader may look at any moment, and must not find an empty file: as long as nothing goes, lines are only added.
function writeInPlace(
  files: Host["files"],
  path: string,
  { before, after }: { readonly before: string; readonly after: string },
): void {
  const old = new Set(before.split("\n"));
  const lines = after.split("\n");
  const isGrown = before !== "" && [...old].every((line) => lines.includes(line));
  if (!isGrown) files.write(path, after);
  else
    files.append(
      path,
      lines
        .filter((line) => !old.has(line))
        .map((line) => `${line}\n`)
        .join(""),
    );
}
