/**
 * Submits one application many times from one process, a few at a time, over connections that they share.
 *
 *     node --use-openssl-ca submit-many.mjs COUNT [word of spark-submit]…
 */
import { nodeHost, parseCommandLine, sharedConnections, submit } from "firesteel";

const [count = "1", ...words] = process.argv.slice(2);
const atOnce = 16;

const host = nodeHost();
const { openClient, close } = sharedConnections();

/** What is left to do; whoever is idle takes the next. */
const numbers = Array.from({ length: Number(count) }, (_, index) => index + 1).values();

async function work() {
  for (const number of numbers) {
    const parsed = parseCommandLine([...words, String(number)], "4.3");
    if (!parsed.ok || parsed.value.action !== "submit") throw new Error("these are no words of a submission");
    const log = (level, logger, text) => level === "INFO" || console.error(`${level} ${logger}: ${text}`);
    const { podName, namespace } = await submit({ host, invocation: parsed.value, openClient, log });
    console.log(`${namespace}:${podName}`);
  }
}

try {
  await Promise.all(Array.from({ length: atOnce }, work));
} finally {
  close();
}
