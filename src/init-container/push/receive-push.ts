import { createServer, type Server } from "node:http";
import { messageOf } from "../../errors/message-of.ts";
import type { PushSource } from "../../staging-client/localize-config.ts";
import { LocalizeError } from "../localize-error.ts";
import type { Localized, Localizing } from "../localizing.ts";
import { handlePush } from "./handle-push.ts";
import type { PushSession } from "./push-session.ts";
import type { PushedEntries } from "./pushed-entries.ts";

const usualClientTimeoutSeconds = 300;

/**
 * Waits for the submitting client and takes what it sends. Ends when all of it is there and right, and fails when nothing
 * came from the client for as long as the source says.
 */
export async function receivePush(
  run: Localizing,
  source: PushSource,
  { secret, entries }: { readonly secret: string; readonly entries: PushedEntries },
): Promise<Localized> {
  const ending = newEnding();
  const timeout = timeoutOf(run, source, ending.reject);
  const session: PushSession = {
    secret,
    entries,
    moved: timeout.renew,
    done: ending.resolve,
    failed: ending.reject,
    say: run.say,
  };
  const server = createServer((request, response) => handlePush(session, request, response));
  // Node would end every request after five minutes, and a large upload is one.
  server.requestTimeout = 0;
  const stop = () => ending.reject(run.signal.reason);
  run.signal.addEventListener("abort", stop);
  try {
    run.say(`Waiting for the submitting client on port ${await listen(server, source.port)}`);
    run.signal.throwIfAborted();
    await ending.promise;
  } finally {
    timeout.end();
    run.signal.removeEventListener("abort", stop);
    server.close();
    server.closeAllConnections();
  }
  return entries.place();
}

interface Ending {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function newEnding(): Ending {
  let resolve: Ending["resolve"] = () => {};
  let reject: Ending["reject"] = () => {};
  const promise = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  // It may fail before anybody waits for it.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** @returns the port, which the system chooses for 0 */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(new LocalizeError("badConfig", `Nothing can listen on port ${port}: ${messageOf(error)}`));
    });
    server.listen(port, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function timeoutOf(
  { host: { clock } }: Localizing,
  { clientTimeoutSeconds = usualClientTimeoutSeconds }: PushSource,
  fail: (error: LocalizeError) => void,
) {
  const over = () =>
    fail(
      new LocalizeError("network", `Nothing came from the submitting client for ${clientTimeoutSeconds} s`),
    );
  const start = () => clock.after(clientTimeoutSeconds * 1000, over);
  let cancel = start();
  return {
    renew: () => {
      cancel();
      cancel = start();
    },
    end: () => cancel(),
  };
}
