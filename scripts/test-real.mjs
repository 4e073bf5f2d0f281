#!/usr/bin/env node
/** Runs Firesteel and Apache's client side by side on a real cluster: `npm run test:real -- --kubeconfig FILE --spark-home DIR`. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runVitest } from "./run-vitest.mjs";

const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string", default: process.env.KUBECONFIG },
    image: { type: "string", default: "spark:4.3.0" },
    "init-image": { type: "string", default: "" },
    "server-image": { type: "string", default: "" },
    "shuffle-images": { type: "string", default: "" },
    "host-address": { type: "string", default: "" },
    "spark-home": { type: "string", default: process.env.SPARK_HOME },
    "spark-version": { type: "string", default: "4.3.0" },
  },
});
const missing = [
  ...(values.kubeconfig === undefined ? ["--kubeconfig FILE, or KUBECONFIG: the cluster"] : []),
  ...(existsSync(join(values["spark-home"] ?? "", "bin", "spark-submit"))
    ? []
    : ["--spark-home DIR, or SPARK_HOME: Apache's distribution with bin/spark-submit"]),
];
if (missing.length > 0) {
  console.error(`Missing:\n${missing.map((line) => `  ${line}\n`).join("")}`);
  process.exit(2);
}
runVitest("real", [], {
  FIRESTEEL_REAL_KUBECONFIG: resolve(values.kubeconfig),
  FIRESTEEL_REAL_IMAGE: values.image,
  FIRESTEEL_REAL_INIT_IMAGE: values["init-image"],
  FIRESTEEL_REAL_SERVER_IMAGE: values["server-image"],
  FIRESTEEL_REAL_SHUFFLE_IMAGES: values["shuffle-images"],
  FIRESTEEL_REAL_HOST_ADDRESS: values["host-address"],
  FIRESTEEL_SPARK_VERSION: values["spark-version"],
  SPARK_HOME: values["spark-home"],
});
