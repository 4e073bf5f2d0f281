import type { Clock } from "../../host/host.ts";
import type { OpenConnection } from "../connection.ts";
import { unseen } from "../network-error.ts";
import { cutOff, type HttpConnection, httpConnection, type Sending } from "./http-connection.ts";

/** The connections to one server. */
export interface ConnectionPool {
  readonly send: (sending: Sending) => void;
  /** Stops a request, wherever it is. */
  readonly stop: (sending: Sending, error: Error) => void;
  /** Ends all connections. */
  readonly close: () => void;
}

// Enough that the server is the limit, few enough to be a good guest. Those whose answer has begun do not count: a watch goes
// on for hours.
const maxActiveRequests = 16;

// A server that is near answers sooner, and then one connection is quicker than several: each costs ms of encryption.
const graceMs = 5;

interface Pool {
  readonly open: OpenConnection;
  readonly clock: Clock;
  readonly waiting: Sending[];
  readonly idle: HttpConnection[];
  readonly standing: Set<HttpConnection>;
  /** Those of the standing ones whose answer has begun. */
  readonly answering: Set<HttpConnection>;
  /** Functions that abort each of them. */
  readonly opening: Set<() => void>;
  cancelTimeout: (() => void) | undefined;
}

/**
 * Requests take the connection that is idle, else wait. The first one opens a connection; further ones are opened when a
 * request has waited for some ms in which no connection was reached and no answer began.
 */
export function connectionPool(open: OpenConnection, clock: Clock): ConnectionPool {
  const pool: Pool = {
    ...{ open, clock, cancelTimeout: undefined },
    ...{ waiting: [], idle: [], standing: new Set(), answering: new Set(), opening: new Set() },
  };
  return {
    send(sending) {
      pool.waiting.push(sending);
      dispatch(pool);
    },
    stop(sending, error) {
      const at = pool.waiting.indexOf(sending);
      if (at === -1) {
        for (const connection of pool.standing) if (connection.carries(sending)) connection.fail(error);
        return;
      }
      pool.waiting.splice(at, 1);
      refuse(sending, error);
      dispatch(pool);
    },
    // A turn later, which spares a program that ends at once the work.
    close: () => void setImmediate(() => end(pool)),
  };
}

function end(pool: Pool): void {
  const error = cutOff("the client was closed");
  for (const sending of pool.waiting.splice(0)) refuse(sending, error);
  for (const connection of [...pool.standing]) connection.fail(error);
  settle(pool);
}

function dispatch(pool: Pool): void {
  const { waiting, idle } = pool;
  while (waiting.length > 0 && idle.length > 0) {
    const [connection, next] = [idle.pop(), waiting.shift()];
    if (next !== undefined) connection?.send(next);
  }
  if (waiting.length > 0) growLater(pool);
  else settle(pool);
}

/** Nobody waits any more. */
function settle(pool: Pool): void {
  calm(pool);
  if (pool.standing.size > 0) return;
  for (const abort of pool.opening) abort();
  pool.opening.clear();
}

/** Those that will come to the next request by themselves. */
function atWork({ opening, standing, answering }: Pool): number {
  return opening.size + standing.size - answering.size;
}

function calm(pool: Pool): void {
  pool.cancelTimeout?.();
  pool.cancelTimeout = undefined;
}

function growLater(pool: Pool): void {
  calm(pool);
  if (pool.opening.size + pool.standing.size === 0) {
    grow(pool);
    return;
  }
  const armed = pool.clock.after(graceMs, () => {
    // Drain the sockets before checking the timeout: a busy event loop must not look like a slow server.
    setImmediate(() => {
      if (pool.cancelTimeout !== armed) return;
      pool.cancelTimeout = undefined;
      const required = Math.min(pool.waiting.length - pool.opening.size, maxActiveRequests - atWork(pool));
      for (let count = 0; count < required; count += 1) grow(pool);
    });
  });
  pool.cancelTimeout = armed;
}

function grow(pool: Pool): void {
  const abort = pool.open({
    reached: () => calm(pool),
    stands(socket) {
      pool.opening.delete(abort);
      const connection = httpConnection(socket, {
        answering() {
          pool.answering.add(connection);
          if (pool.waiting.length > 0) growLater(pool);
        },
        idle() {
          pool.answering.delete(connection);
          pool.idle.push(connection);
          dispatch(pool);
        },
        gone: () => forget(pool, connection),
      });
      pool.standing.add(connection);
      pool.idle.push(connection);
      dispatch(pool);
    },
    failed(error) {
      pool.opening.delete(abort);
      if (atWork(pool) > 0) return;
      calm(pool);
      for (const sending of pool.waiting.splice(0)) refuse(sending, error);
    },
  });
  pool.opening.add(abort);
}

function forget(pool: Pool, connection: HttpConnection): void {
  pool.answering.delete(connection);
  pool.standing.delete(connection);
  const at = pool.idle.indexOf(connection);
  if (at !== -1) pool.idle.splice(at, 1);
  dispatch(pool);
}

function refuse(sending: Sending, error: Error): void {
  sending.failed(unseen(error));
  sending.over();
}
