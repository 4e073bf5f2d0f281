import type { Clock } from "../../host/host.ts";
import type { OpenConnection } from "../connection.ts";
import { unseen } from "../network-error.ts";
import { connectionReset, type HttpConnection, httpConnection, type PendingRequest } from "./http-connection.ts";

/** The connections to one server. */
interface ConnectionPool {
  readonly send: (request: PendingRequest) => void;
  /** Aborts a request that is waiting or in progress. */
  readonly abort: (request: PendingRequest, error: Error) => void;
  /** Closes all connections. */
  readonly close: () => void;
}

// High enough that the server is the limit. Requests whose response has begun do not count, because a watch lasts for hours.
const maxActiveRequests = 16;

// A nearby server responds within this time. Then one connection is faster than several: each costs ms of encryption.
const graceMs = 5;

interface Pool {
  readonly openConnection: OpenConnection;
  readonly clock: Clock;
  readonly waiting: PendingRequest[];
  readonly idle: HttpConnection[];
  readonly connected: Set<HttpConnection>;
  /** Connected ones whose response has begun. */
  readonly responding: Set<HttpConnection>;
  /** Functions that abort the connections that are being opened. */
  readonly opening: Set<() => void>;
  cancelTimeout: (() => void) | undefined;
}

/**
 * Creates a pool without connections. A request uses an idle connection, else it waits. The first request opens a connection.
 * Further connections open when a request has waited `graceMs` in which no server was reached and no response began.
 */
export function connectionPool(openConnection: OpenConnection, clock: Clock): ConnectionPool {
  const pool: Pool = {
    ...{ openConnection, clock, cancelTimeout: undefined },
    ...{ waiting: [], idle: [], connected: new Set(), responding: new Set(), opening: new Set() },
  };
  return {
    send(request) {
      pool.waiting.push(request);
      dispatch(pool);
    },
    abort(request, error) {
      const at = pool.waiting.indexOf(request);
      if (at === -1) {
        for (const connection of pool.connected) if (connection.isSending(request)) connection.fail(error);
        return;
      }
      pool.waiting.splice(at, 1);
      reject(request, error);
      dispatch(pool);
    },
    // Deferred: a program that exits now does not need to close its connections.
    close: () => void setImmediate(() => closeAll(pool)),
  };
}

function closeAll(pool: Pool): void {
  const error = connectionReset("the client was closed");
  for (const request of pool.waiting.splice(0)) reject(request, error);
  for (const connection of [...pool.connected]) connection.fail(error);
  stopOpening(pool);
}

function dispatch(pool: Pool): void {
  const { waiting, idle } = pool;
  while (waiting.length > 0 && idle.length > 0) {
    const next = waiting.shift();
    if (next?.isStopped() === true) reject(next, connectionReset("the request was stopped"));
    else if (next !== undefined) idle.pop()?.send(next);
  }
  if (waiting.length > 0) growLater(pool);
  else stopOpening(pool);
}

/** Cancels growth when no request waits. Aborts the connections being opened, unless another one is connected. */
function stopOpening(pool: Pool): void {
  cancelGrowth(pool);
  if (pool.connected.size > 0) return;
  for (const abort of pool.opening) abort();
  pool.opening.clear();
}

/** Counts the connections that will take another request without further action. */
function activeCount({ opening, connected, responding }: Pool): number {
  return opening.size + connected.size - responding.size;
}

function cancelGrowth(pool: Pool): void {
  pool.cancelTimeout?.();
  pool.cancelTimeout = undefined;
}

function growLater(pool: Pool): void {
  cancelGrowth(pool);
  if (pool.opening.size + pool.connected.size === 0) {
    grow(pool);
    return;
  }
  const armed = pool.clock.after(graceMs, () => {
    // Drain the sockets before checking the timeout: a busy event loop must not look like a slow server.
    setImmediate(() => {
      if (pool.cancelTimeout !== armed) return;
      pool.cancelTimeout = undefined;
      const required = Math.min(pool.waiting.length - pool.opening.size, maxActiveRequests - activeCount(pool));
      for (let count = 0; count < required; count += 1) grow(pool);
    });
  });
  pool.cancelTimeout = armed;
}

function grow(pool: Pool): void {
  const abort = pool.openConnection({
    reached: () => cancelGrowth(pool),
    connected(socket) {
      pool.opening.delete(abort);
      const connection = httpConnection(socket, {
        onResponse() {
          pool.responding.add(connection);
          if (pool.waiting.length > 0) growLater(pool);
        },
        onIdle() {
          pool.responding.delete(connection);
          pool.idle.push(connection);
          dispatch(pool);
        },
        onClose: () => remove(pool, connection),
      });
      pool.connected.add(connection);
      pool.idle.push(connection);
      dispatch(pool);
    },
    failed(error) {
      pool.opening.delete(abort);
      if (activeCount(pool) > 0) return;
      cancelGrowth(pool);
      for (const request of pool.waiting.splice(0)) reject(request, error);
    },
  });
  pool.opening.add(abort);
}

function remove(pool: Pool, connection: HttpConnection): void {
  pool.responding.delete(connection);
  pool.connected.delete(connection);
  const at = pool.idle.indexOf(connection);
  if (at !== -1) pool.idle.splice(at, 1);
  dispatch(pool);
}

function reject(request: PendingRequest, error: Error): void {
  request.onError(unseen(error));
  request.onEnd();
}
