import type { Host } from "../../host/host.ts";
import { chooseSandbox, type SandboxSelection } from "../sandbox/choose-sandbox.ts";
import { fakeSandbox } from "../sandbox/fake-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { startWatchdog } from "../sandbox/watchdog.ts";
import { type HostsLine, machineNames } from "./machine-names.ts";
import { ownNetwork } from "./network/own-network.ts";
import { type NetworkName, type PodNetwork, sharedNetwork } from "./network/pod-network.ts";

export interface IsolationOptions {
  readonly host: Host;
  /** Existing private directory. */
  readonly directory: string;
  readonly sandbox: SandboxSelection;
  /** Requested network. If this machine does not allow one per pod, pods share this machine's. @default "pod" */
  readonly network?: NetworkName | undefined;
}

/** Sandbox and network that separate pods from each other and from this machine. They are prepared while other parts of the cluster start. */
export interface Isolation {
  /** Rejects with SUBMIT_ERR_SANDBOX when the requested sandbox does not work here. */
  readonly sandbox: Promise<Sandbox>;
  /** Names of this machine. */
  readonly machine: Promise<readonly HostsLine[]>;
  /** Opens the network at the first call. @param apiAddress address of the API; the pods' network is its /24 */
  readonly openNetwork: (apiAddress: string) => Promise<PodNetwork>;
  /** Stops the sandbox and the network, also if their preparation has failed. */
  readonly stop: () => Promise<void>;
}

/** Starts to choose the sandbox. */
export function prepareIsolation(options: IsolationOptions): Isolation {
  const { host, directory, sandbox: choice } = options;
  const machine = machineNames(host);
  if (choice === "fake") {
    return {
      ...{ sandbox: Promise.resolve(fakeSandbox(host)), machine },
      openNetwork: async () => sharedNetwork(),
      stop: async () => {},
    };
  }
  const watchdog = startWatchdog(host);
  const sandbox = chooseSandbox({ host, choice, directory, watchdog });
  let network: Promise<PodNetwork> | undefined;
  // Their users report failures, maybe later.
  for (const preparation of [sandbox, machine]) preparation.catch(() => {});
  return {
    ...{ sandbox, machine },
    openNetwork(apiAddress) {
      network ??= openNetwork(options, { apiAddress, sandbox, machine, watch: watchdog.watch });
      network.catch(() => {});
      return network;
    },
    async stop() {
      const [opened] = await Promise.allSettled([network, sandbox]);
      if (opened.status === "fulfilled") opened.value?.stop();
      await watchdog.stop();
    },
  };
}

interface NetworkInputs extends Pick<Isolation, "sandbox" | "machine"> {
  readonly apiAddress: string;
  readonly watch: (pid: number) => void;
}

/** Opens the requested network. Pods without a sandbox use this machine's, because their files do not resolve other names. */
async function openNetwork(
  { host, network = "pod", sandbox: choice }: IsolationOptions,
  { apiAddress, sandbox, machine, watch }: NetworkInputs,
): Promise<PodNetwork> {
  if (network === "shared" || choice === "process") return sharedNetwork();
  const namedAddresses = (await machine).map(([address]) => address);
  const own = await ownNetwork({ host, apiAddress, namedAddresses, watch });
  const isUsable = await sandbox.then(
    ({ name }) => name !== "process",
    () => false,
  );
  if (isUsable) return own;
  own.stop();
  return sharedNetwork();
}
