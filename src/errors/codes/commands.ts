import { define } from "../error-code-entry.ts";

/** Codes about the arguments of Firesteel's own commands. */
export const commandCodes = {
  SUBMIT_ERR_ARGUMENT_MISSING: define<{
    /** Without `firesteel`. */
    command: string;
    /** Noun phrase with an article, e.g. `the name of an image`. */
    what: string;
    allowed: string;
    /** Arguments after the command. */
    example: string;
  }>({
    kind: "usage",
    text: ({ command, what }) => `firesteel ${command} requires ${what}.`,
    hint: ({ command, allowed, example }) => `Pass ${allowed}, e.g. firesteel ${command} ${example}.`,
  }),
  SUBMIT_ERR_OPTIONS_EXCLUSIVE: define<{ first: string; second: string }>({
    kind: "usage",
    text: ({ first, second }) => `${first} and ${second} exclude each other.`,
    hint: () => "Remove one of them.",
  }),
  SUBMIT_ERR_LIBRARY_OPTION: define<{
    /** Name of the option, e.g. `files[2]`. */
    option: string;
    /** Value as JSON; `undefined` if it is missing. */
    value: string;
    reason: string;
    /** Imperative. */
    instruction: string;
  }>({
    kind: "usage",
    text: ({ option, value, reason }) => `Invalid option ${option}: ${value} ${reason}.`,
    hint: ({ instruction }) => instruction,
  }),
  SUBMIT_ERR_GATEWAY_SETTING: define<{ key: string; reason: string }>({
    kind: "setting",
    text: ({ key, reason }) => `A client of the gateway cannot set ${key}: ${reason}.`,
    hint: ({ key }) => `Remove ${key}, or ask the operator of the gateway to set it for all applications.`,
  }),
  SUBMIT_ERR_GATEWAY_START: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The gateway cannot start: ${reason}.`,
    hint: () => "Check that its port is free; see docs/gateway.md.",
  }),
  SUBMIT_ERR_GATEWAY_HISTORY_SERVER: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The gateway cannot start a history server: ${reason}.`,
    hint: () => "Set what is missing, or link to another history server with gateway.historyServer.",
  }),
  SUBMIT_ERR_GATEWAY_STORE: define<{
    path: string;
    reason: string;
    /** Imperative. */
    instruction: string;
  }>({
    kind: "environment",
    text: ({ path, reason }) => `The gateway cannot use its database ${path}: ${reason}.`,
    hint: ({ instruction }) => instruction,
  }),
  SUBMIT_ERR_GATEWAY_STORE_WRITE: define<{ path: string; reason: string }>({
    kind: "unreachable",
    text: ({ path, reason }) => `The database of the gateway, ${path}, cannot be written: ${reason}.`,
    hint: () => "Free space on its disk, and send the request again.",
  }),
  SUBMIT_ERR_GATEWAY_NOT_LEADING: define<Record<never, never>>({
    kind: "unreachable",
    text: () => "Another gateway serves the applications now.",
    hint: () => "Send the request again.",
  }),
  SUBMIT_ERR_GATEWAY_PASSWORD_FILE: define<{ path: string; reason: string }>({
    kind: "usage",
    text: ({ path, reason }) => `Invalid password file ${path}: ${reason}.`,
    hint: () => "Create it with htpasswd -B -c FILE USER.",
  }),
  SUBMIT_ERR_GATEWAY_FILE: define<{ option: string; path: string; reason: string }>({
    kind: "usage",
    text: ({ option, path, reason }) => `Cannot use the file ${path} of ${option}: ${reason}.`,
    hint: () => "Name a file that the gateway's user can read; see docs/gateway.md.",
  }),
  SUBMIT_ERR_GATEWAY_AUTH: define<{ reason: string }>({
    kind: "usage",
    text: ({ reason }) => `The gateway does not start without authentication: ${reason}.`,
    hint: () => "Select an authentication with --auth, or permit every client to do everything with --auth none.",
  }),
  SUBMIT_ERR_BUNDLE: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `${path} is not a readable bundle of an application: ${reason}.`,
    hint: () => "Pass a file that firesteel bundle or spark.firesteel.archive wrote, or a directory with its files.",
  }),
  SUBMIT_ERR_BUNDLE_TARGET: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `Cannot write the bundle to ${path}: ${reason}.`,
    hint: () => "Free space or select another file with -o.",
  }),
  SUBMIT_ERR_HISTORY_SERVER: define<{ directory: string; reason: string }>({
    kind: "dependency",
    text: ({ directory, reason }) => `Cannot serve the event logs in ${directory}: ${reason}.`,
    hint: ({ directory }) =>
      directory.startsWith("s3a:")
        ? "Check the directory, and spark.hadoop.fs.s3a.access.key, .secret.key and .endpoint in the file of --properties-file. Pass another port with --port if it is in use."
        : "Pass the directory of spark.eventLog.dir with --dir, and another port with --port if it is in use.",
  }),
  SUBMIT_ERR_INIT_DIRECTORY: define<{ directory: string; reason: string }>({
    kind: "usage",
    text: ({ directory, reason }) => `Cannot create a project in ${directory}: ${reason}.`,
    hint: () => "Pass a new or empty directory.",
  }),
  SUBMIT_ERR_CONNECT_SERVER_REQUIRED: define<{ id: string }>({
    kind: "setting",
    text: ({ id }) => `The driver ${id} is not a Spark Connect server.`,
    hint: () => "List the servers: firesteel connect list",
  }),
  SUBMIT_ERR_CONNECT_SERVER_ENDED: define<{ id: string; state: string }>({
    kind: "setting",
    text: ({ id, state }) => `The Spark Connect server ${id} is not running (${state}).`,
    hint: () => "Start another one: firesteel connect start",
  }),
  SUBMIT_ERR_CONNECT_DETACHED_INSIDE: define<Record<never, never>>({
    kind: "usage",
    text: () => "--detach requires a cluster that keeps running, but the embedded cluster would end with this command.",
    hint: () => "Start it in the background first: firesteel cluster start",
  }),
  SUBMIT_ERR_CONNECT_FORWARDER: define<{ id: string; port: number }>({
    kind: "environment",
    text: ({ id, port }) =>
      `The server ${id} is running, but the background process that forwards port ${port} to it has ended.`,
    hint: ({ id }) => `Forward the port: firesteel connect forward ${id}`,
  }),
  SUBMIT_ERR_CONNECT_MASTER: define<{ master: string }>({
    kind: "setting",
    text: ({ master }) => `A Spark Connect server cannot be started on ${master}: only on a Kubernetes cluster.`,
    hint: () => "Pass --master k8s://https://HOST:PORT or --master k8s://embedded.",
  }),
};
