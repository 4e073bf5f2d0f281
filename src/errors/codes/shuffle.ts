import { define } from "../error-code-entry.ts";

/** Codes about the shuffle service. */
export const shuffleCodes = {
  SUBMIT_ERR_SHUFFLE_DIRECTORIES: define<{ key: string }>({
    kind: "usage",
    text: () => "The shuffle service has no directories: --directories is not specified.",
    hint: ({ key }) =>
      `Pass the directories in which executors create their local directories, e.g. --directories /spark-local, or set ${key}.`,
  }),
  SUBMIT_ERR_SHUFFLE_AUTHENTICATION: define<{ key: string }>({
    kind: "usage",
    text: ({ key }) =>
      `The properties file does not set ${key}, so the shuffle service does not know whether clients must authenticate.`,
    hint: ({ key }) =>
      `Set ${key}=true and a secret. Set it to false only if no other client can reach the port: without authentication, every client can read and remove all shuffle files.`,
  }),
  SUBMIT_ERR_SHUFFLE_SECRET_MISSING: define<{ key: string; keys: readonly string[] }>({
    kind: "setting",
    text: ({ key, keys }) => `${key} is true, but there is no secret: none of ${keys.join(", ")} is set.`,
    hint: ({ keys }) => `Set one of them: ${keys[0] ?? ""} separates applications, the others are one secret for all.`,
  }),
  SUBMIT_ERR_SHUFFLE_CONFLICT: define<{ key: string; value: string; reason: string }>({
    kind: "setting",
    text: ({ key, value, reason }) => `${key} is ${value}, but ${reason}.`,
    hint: ({ key }) => `Remove ${key}, or change the other setting.`,
  }),
  SUBMIT_ERR_SHUFFLE_PROFILE: define<{ key: string; value: string; profile: string; needed: string }>({
    kind: "setting",
    text: ({ key, value, profile, needed }) => `${key} is ${value}, but ${profile} needs ${needed}.`,
    hint: ({ key, profile }) => `Remove ${key}, or choose another value than ${profile}.`,
  }),
  SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE: define<{ profile: string; key: string; reason: string; remedy: string }>({
    kind: "setting",
    text: ({ profile, key, reason }) => `${profile} is incomplete: ${key}: ${reason}.`,
    hint: ({ remedy }) => remedy,
  }),
  SUBMIT_ERR_SHUFFLE_ALLOCATION: define<{ key: string; profileKey: string }>({
    kind: "setting",
    text: ({ key }) =>
      `The driver rejects dynamic allocation with ${key}=false, because nothing else keeps the shuffle data of executors that it removes.`,
    hint: ({ key, profileKey }) => `Remove ${key}, or set ${profileKey} to tracking, decommission, service or plugin.`,
  }),
  SUBMIT_ERR_ALLOCATION_LIMIT: define<{ key: string; value: string; reason: string; remedy: string }>({
    kind: "setting",
    text: ({ key, value, reason }) => `The driver rejects ${key}=${value}: ${reason}.`,
    hint: ({ remedy }) => remedy,
  }),
  SUBMIT_ERR_SHUFFLE_FILE: define<{ key: string; path: string; reason: string }>({
    kind: "setting",
    text: ({ key, path, reason }) => `${key} is ${path}, but ${reason}.`,
    hint: () => "Correct the path, or the permissions and the content of the file.",
  }),
  SUBMIT_ERR_SHUFFLE_START: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The shuffle service cannot start: ${reason}`,
    hint: () =>
      "Check that its port is free, and that it can write to its state directory; see docs/shuffle-service.md.",
  }),
};
