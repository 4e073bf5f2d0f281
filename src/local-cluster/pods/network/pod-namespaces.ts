import type { ChildProcess } from "../../../host/host.ts";

/** Network namespaces of pods, by their addresses. */
export interface PodNamespaces {
  /** Resolves with the first process of the cluster's network. Rejects if it was not created. */
  readonly ready: Promise<string>;
  /**
   * Creates the namespace of a pod unless it exists. Resolves with the process that holds it. After a failure, the next call tries
   * again.
   */
  readonly add: (address: string) => Promise<string>;
  readonly remove: (address: string) => void;
}

/** Longest error text of the script that is kept. */
const maxErrorCharacters = 1000;

/** Creates pods' namespaces by commands to the script of the network. */
export function podNamespaces(script: ChildProcess): PodNamespaces {
  const ready = deferred<string>();
  const holders = new Map<string, Deferred<string>>();
  let errorText = "";
  script.onOutput(2, (chunk) => {
    if (errorText.length < maxErrorCharacters) errorText += Buffer.from(chunk).toString("utf8");
  });
  let rest = "";
  script.onOutput(1, (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, verb, number = "", text = ""] = /^(\w+) (\d+) ?(.*)$/.exec(line) ?? [];
      const holder = holders.get(number);
      if (verb === "ready") ready.resolve(number);
      else if (verb === "ok") holder?.resolve(text);
      else if (verb === "failed") {
        holders.delete(number);
        holder?.reject(new Error(`failed to create the pod's network: ${text}`));
      }
    }
  });
  void script.ended.then(() => {
    const error = new Error(errorText.trim().split("\n")[0] || "the network has ended");
    ready.reject(error);
    for (const { reject } of holders.values()) reject(error);
  });
  return {
    ready: ready.promise,
    add(address) {
      const number = numberOf(address);
      const known = holders.get(number);
      if (known !== undefined) return known.promise;
      const holder = deferred<string>();
      holders.set(number, holder);
      script.writeInput(`add ${number}\n`);
      return holder.promise;
    },
    remove(address) {
      const number = numberOf(address);
      const holder = holders.get(number);
      if (holder === undefined) return;
      holders.delete(number);
      holder.reject(new Error("the pod's network was removed"));
      script.writeInput(`remove ${number}\n`);
    },
  };
}

function numberOf(address: string): string {
  return address.slice(address.lastIndexOf(".") + 1);
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** Creates a promise that is settled later. Its rejection may be ignored. */
function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
