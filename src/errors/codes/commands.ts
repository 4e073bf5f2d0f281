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
  SUBMIT_ERR_GATEWAY_START: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The gateway cannot start: ${reason}.`,
    hint: () => "Check that its port is free; see docs/gateway.md.",
  }),
  SUBMIT_ERR_GATEWAY_PASSWORD_FILE: define<{ path: string; reason: string }>({
    kind: "usage",
    text: ({ path, reason }) => `Invalid password file ${path}: ${reason}.`,
    hint: () => "Create it with htpasswd -B -c FILE USER.",
  }),
  SUBMIT_ERR_GATEWAY_AUTH: define<{ reason: string }>({
    kind: "usage",
    text: ({ reason }) => `The gateway does not start without authentication: ${reason}.`,
    hint: () => "Pass --auth htpasswd with --password-file FILE, or permit every client to do everything with --auth none.",
  }),
  SUBMIT_ERR_INIT_DIRECTORY: define<{ directory: string; reason: string }>({
    kind: "usage",
    text: ({ directory, reason }) => `Cannot create a project in ${directory}: ${reason}.`,
    hint: () => "Pass a new or empty directory.",
  }),
};
