import type { Socket as DatagramSocket } from "node:dgram";
import type { Clock } from "../../../host/host.ts";
import type { Listener } from "./listeners.ts";
import type { Endpoint } from "./listening-sockets.ts";
import { bindDirectly, type PodNetwork } from "./pod-network.ts";

interface DatagramForwarding {
  /** Opens the port that receives datagrams. */
  readonly open: () => Promise<DatagramSocket>;
  /** Opens a port in the network of an address. */
  readonly openFor: (address: string) => Promise<DatagramSocket>;
  /** Returns the endpoint for a new client's address; `undefined` discards its datagrams. */
  readonly choose: (client: string) => Endpoint | undefined;
  readonly clock: Pick<Clock, "after">;
}

/** Datagrams between a client's port and an endpoint. */
interface Flow {
  readonly endpoint: Endpoint;
  /** Port that the endpoint responds to; `undefined` if it was not opened. */
  readonly outgoing: Promise<DatagramSocket | undefined>;
  cancelEnd: () => void;
}

/** Time after a client's last datagram until its flow ends: the kernel's for a flow that it translates. */
const idleMs = 120_000;

/** Flows of a port; datagrams of more clients are discarded. */
const maxFlows = 1024;

/** Forwards datagrams of each client to one endpoint, and the responses back. Ignores errors, as the port may be in use. */
export function forwardDatagrams(forwarding: DatagramForwarding): Listener {
  const flows = new Map<string, Flow>();
  const opening = forwarding.open().then(
    (socket) => {
      socket.on("error", () => {});
      socket.on("message", (message, { address, port }) => {
        const flow = flowOf(forwarding, { flows, socket }, { address, port });
        const { endpoint } = flow ?? {};
        if (endpoint === undefined) return;
        void flow?.outgoing.then((outgoing) => outgoing?.send(message, endpoint.port, endpoint.address, () => {}));
      });
      socket.unref();
      return socket;
    },
    () => undefined,
  );
  return {
    close() {
      void opening.then((socket) => socket?.close());
      for (const key of [...flows.keys()]) endFlow(flows, key);
    },
  };
}

/** Forwards datagrams on this machine and, unless the address is a pod's own loopback, in the network of the pods. */
export function forwardOnNode(
  { bind, bindFor }: Pick<PodNetwork, "bind" | "bindFor">,
  { address, port, ...forwarding }: Endpoint & Pick<DatagramForwarding, "choose" | "clock">,
): Listener {
  const here = forwardDatagrams({ ...forwarding, openFor: bindFor, open: () => bindDirectly(address, port) });
  if (bind === undefined || address === "127.0.0.1") return here;
  const there = forwardDatagrams({ ...forwarding, openFor: bindFor, open: () => bind(address, port) });
  return {
    close() {
      here.close();
      there.close();
    },
  };
}

/** Returns the flow of a client, and starts it if it is new. */
function flowOf(
  { openFor, choose, clock }: DatagramForwarding,
  { flows, socket }: { readonly flows: Map<string, Flow>; readonly socket: DatagramSocket },
  client: Endpoint,
): Flow | undefined {
  const key = `${client.address}:${client.port}`;
  const flow = flows.get(key) ?? startFlow();
  flow?.cancelEnd();
  if (flow !== undefined) flow.cancelEnd = clock.after(idleMs, () => endFlow(flows, key));
  return flow;

  function startFlow(): Flow | undefined {
    const endpoint = flows.size >= maxFlows ? undefined : choose(client.address);
    if (endpoint === undefined) return undefined;
    const outgoing = openFor(endpoint.address).then(
      (opened) => {
        opened.on("error", () => {});
        opened.on("message", (response) => socket.send(response, client.port, client.address, () => {}));
        opened.unref();
        return opened;
      },
      () => undefined,
    );
    const started: Flow = { endpoint, outgoing, cancelEnd: () => {} };
    flows.set(key, started);
    return started;
  }
}

function endFlow(flows: Map<string, Flow>, key: string): void {
  const flow = flows.get(key);
  flows.delete(key);
  flow?.cancelEnd();
  void flow?.outgoing.then((outgoing) => outgoing?.close());
}
