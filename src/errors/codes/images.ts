import { asSentence } from "../as-sentence.ts";
import { define } from "../error-code-entry.ts";

/** Codes about building images. */
export const imageCodes = {
  SUBMIT_ERR_IMAGE_UNKNOWN: define<{ name: string; known: readonly string[]; nearest: string | undefined }>({
    kind: "usage",
    text: ({ name }) => `There is no image ${name} to build.`,
    hint: ({ known, nearest }) =>
      `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Write one or more of: ${known.join(", ")}.`,
  }),
  SUBMIT_ERR_IMAGE_SINGLE: define<{ options: readonly string[]; names: readonly string[] }>({
    kind: "usage",
    text: ({ options, names }) =>
      `${options.join(", ")} cannot be used with several images (${names.join(", ")}): each needs its own value.`,
    hint: () => "Build the images one by one.",
  }),
  SUBMIT_ERR_IMAGE_TAG: define<{ tag: string; reason: string }>({
    kind: "setting",
    text: ({ tag, reason }) => `Invalid image name --tag ${tag}: ${reason}.`,
    hint: () => "Write REGISTRY/NAME:TAG in lowercase, for example registry.example/team/spark:4.3.0.",
  }),
  SUBMIT_ERR_IMAGE_REGISTRY: define<{ names: readonly string[] }>({
    kind: "setting",
    text: ({ names }) => `Cannot push ${names.join(", ")}: without a registry in the name, engines push to Docker Hub.`,
    hint: () =>
      "Use --tag REGISTRY/NAME:TAG, for example registry.example/team/spark:4.3.0; for Docker Hub, --tag docker.io/USER/NAME:TAG.",
  }),
  SUBMIT_ERR_IMAGE_OPTION_UNUSED: define<{ options: readonly string[]; names: readonly string[] }>({
    kind: "usage",
    text: ({ options, names }) =>
      `${options.join(", ")} cannot be used with ${names.join(", ")}: no Spark is part of it.`,
    hint: ({ options }) => `Remove ${options.join(" and ")}, or build spark, spark-py or spark-r.`,
  }),
  SUBMIT_ERR_IMAGE_OUTPUT: define<{ text: string; formats: readonly string[] }>({
    kind: "usage",
    text: ({ text }) => `Invalid value --output ${text}: it names no format and file.`,
    hint: ({ formats }) => `Write ${formats.map((format) => `${format}:FILE`).join(" or ")}.`,
  }),
  SUBMIT_ERR_IMAGE_SPARK: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `Cannot build a Spark image from ${path}: ${reason}.`,
    hint: () =>
      "Use --spark-home with the directory of a Spark distribution for Kubernetes, or --spark-version to download one.",
  }),
  SUBMIT_ERR_IMAGE_SPARK_R: define<{ path: string }>({
    kind: "environment",
    text: ({ path }) =>
      `Cannot build spark-r from ${path}: it has no R/lib/SparkR, and downloads do not have it either.`,
    hint: () => "Use --spark-home with the directory of a complete release of Spark, such as spark-4.3.0-bin-hadoop3.",
  }),
  SUBMIT_ERR_IMAGE_PACKAGE: define<{ path: string }>({
    kind: "environment",
    text: ({ path }) => `Cannot build images: ${path} does not exist in this installation of Firesteel.`,
    hint: () => "Install Firesteel again, or build from a clone of its repository after npm run build.",
  }),
  SUBMIT_ERR_IMAGE_OUTPUT_FILE: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `Cannot write the image to ${path}: ${reason}.`,
    hint: () => "Choose a file in a directory that you may write, with enough space.",
  }),
  SUBMIT_ERR_IMAGE_ENGINE_MISSING: define<{ problems: readonly string[] }>({
    kind: "environment",
    text: ({ problems }) => `No program that builds images works here: ${asSentence(problems.join("; "))}`,
    hint: () => "Install Docker, Podman or Buildah (apt-get install buildah), or start Docker's server.",
  }),
  SUBMIT_ERR_IMAGE_ENGINE_FAILED: define<{
    engine: string;
    action: string;
    code: number;
    reason: string;
    advice: string;
  }>({
    kind: "environment",
    text: ({ engine, action, code, reason }) => `${engine} could not ${action} (exit code ${code}): ${reason}`,
    hint: ({ advice }) => advice,
  }),
};
