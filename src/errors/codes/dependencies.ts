import { didYouMean } from "../did-you-mean.ts";
import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

/** Codes about files: the application, its dependencies, uploads, pod templates, and the file system of this machine. */
export const dependencyCodes = {
  SUBMIT_ERR_KEYTAB_MISSING: define<{ path: string; nearest?: string | undefined }>({
    kind: "dependency",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ path }) => `requirement failed: Keytab file: ${path} does not exist`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Correct the path of --keytab.`,
  }),
  SUBMIT_ERR_GLOB_AMBIGUOUS: define<{ uri: string; matches: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ uri, matches }) => `${uri} resolves ambiguously to multiple files: ${matches}`,
  }),
  SUBMIT_ERR_GLOB_PATTERN: define<{ pattern: string; index: number }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.io.IOException",
    text: ({ pattern, index }) =>
      `Illegal file pattern: error parsing regexp: Unclosed group at pos ${index}: \`${pattern}\``,
    hint: () => "Write one pattern per file: Spark splits the list at every comma, even inside braces.",
  }),
  SUBMIT_ERR_URI_SYNTAX: define<{ uri: string; index: number }>({
    kind: "dependency",
    wording: "spark",
    javaClass: exceptionClasses.uriSyntax,
    text: ({ uri, index }) => `Illegal character in path at index ${index}: ${uri}`,
    hint: () => "Rename the file, or list each file: the only pattern that works in file names is *.",
  }),
  SUBMIT_ERR_FILE_NAME_COLON: define<{ name: string; reason: string }>({
    kind: "dependency",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ name, reason }) => `java.net.URISyntaxException: ${reason}: ${name}`,
    hint: () => "Remove colons from local paths, and separate the addresses of a list by commas without spaces.",
  }),
  SUBMIT_ERR_MAIN_CLASS_UNREADABLE: define<{ reason: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ reason }) => `Failed to get main class in JAR with error '${reason}'.  Please specify one with --class.`,
  }),
  SUBMIT_ERR_MAIN_CLASS_MISSING: define<Record<never, never>>({
    kind: "dependency",
    wording: "spark",
    text: () => "No main class set in JAR; please specify one with --class.",
  }),
  SUBMIT_ERR_FILE_UNREADABLE: define<{ what: string; path: string; reason: string }>({
    kind: "dependency",
    text: ({ what, path, reason }) => `Cannot read the file of ${what}: ${path} (${reason})`,
    hint: () => "Check that the file exists and that you have read permission.",
  }),
  SUBMIT_ERR_NOT_UTF8: define<{ path: string }>({
    kind: "environment",
    wording: "spark",
    javaClass: "java.nio.charset.MalformedInputException",
    text: () => "Input length = 1",
    hint: ({ path }) => `Save ${path} as UTF-8 text, or remove it.`,
  }),
  SUBMIT_ERR_FILE_SYSTEM: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `A file operation failed on this machine: ${reason}`,
    hint: () =>
      "Check permissions and free space. Set FIRESTEEL_STATE (clusters) and FIRESTEEL_CACHE (Spark, Java, images) to move Firesteel's own files out of the home directory.",
  }),
  SUBMIT_ERR_UPLOAD_PATH_MISSING: define<{ key: string; files: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ key }) => `Please specify ${key} property.`,
    hint: ({ key, files }) =>
      `Make ${files} available to the pods: set ${key} to a file system that this machine and the pods share (file:///…), build it into the image (local://), or store it where pods can download it (https://, s3a://, …).`,
  }),
  SUBMIT_ERR_UPLOAD_SCHEME: define<{ key: string; path: string; scheme: string; files: string }>({
    kind: "dependency",
    text: ({ key, path, scheme }) =>
      `Cannot upload to ${path} (${key}): ${scheme}: is not supported, only file:, s3a:, hdfs: and webhdfs: are.`,
    hint: ({ scheme, files }) =>
      `Make ${files} available to the pods: build it into the image (local://), upload it yourself and use that URI (${scheme}://…), or mount a file system that this machine and the pods share (file:///…).`,
  }),
  SUBMIT_ERR_DEPENDENCY_MISSING: define<{ path: string; what: string; nearest?: string | undefined }>({
    kind: "dependency",
    text: ({ path, what }) => `${path} (${what}) is not a file on this machine.`,
    hint: ({ path, nearest }) =>
      `${didYouMean(nearest) || "Correct the path. "}If the file is in the image, write local://${path}.`,
  }),
  SUBMIT_ERR_UPLOAD_FAILED: define<{ path: string; reason: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ path }) => `Uploading file ${path} failed...`,
    hint: ({ reason }) => `Fix this, then submit again: ${reason}.`,
    causes: ({ path, reason }) => [`${exceptionClasses.spark}: Error uploading file ${path.split("/").at(-1)}`, reason],
  }),
  SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE: define<{ directory: string; reason: string }>({
    kind: "dependency",
    text: ({ directory, reason }) => `Not cleaned up: the directory ${directory} may still exist (${reason})`,
    hint: ({ directory }) => `Remove ${directory} manually.`,
  }),
  SUBMIT_ERR_TEMPLATE_UNUSABLE: define<{ path: string; reason: string; nearest?: string | undefined }>({
    kind: "template",
    wording: "spark",
    text: () => "Could not load pod from template file.",
    hint: ({ path, reason, nearest }) => `${didYouMean(nearest)}Check ${path}: ${reason}.`,
    // Spark logs this text and prints the exception below it.
    causes: ({ reason }) => [`Encountered exception while attempting to load initial pod spec from file: ${reason}`],
  }),
  SUBMIT_ERR_TEMPLATE_NOT_A_POD: define<{ path: string; kind: string }>({
    kind: "template",
    text: ({ path, kind }) => `The pod template ${path} has the kind ${kind}, not Pod.`,
    hint: () => "Begin the template with `apiVersion: v1` and `kind: Pod`.",
  }),
  SUBMIT_ERR_TEMPLATE_SCHEME: define<{ key: string; uri: string; scheme: string }>({
    kind: "template",
    text: ({ key, uri, scheme }) =>
      `Cannot fetch the pod template ${uri} of ${key}: the scheme ${scheme}: is not supported.`,
    hint: () => "Download the template and set the path of the file, or serve it at an http:// or https:// URL.",
  }),
  SUBMIT_ERR_TEMPLATE_UNREADABLE: define<{
    key: string;
    path: string;
    reason: string;
    nearest?: string | undefined;
  }>({
    kind: "template",
    text: ({ key, path, reason }) => `Cannot read the file of ${key}: ${path} (${reason})`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Check that the file exists and that you have read permission.`,
  }),
  SUBMIT_ERR_POD_GROUP_TEMPLATE: define<{ key: string; reason: string }>({
    kind: "template",
    javaClass: exceptionClasses.kubernetes,
    // Begins with Spark's first sentence, which gives no details.
    text: ({ key, reason }) => `An error has occurred. The PodGroup template of ${key} is invalid: ${reason}`,
    hint: () => "Write YAML or JSON with a `spec`, e.g. {spec: {queue: jobs, minMember: 1}}.",
  }),
};
