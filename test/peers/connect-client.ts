import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";

/** Release of the client; newer servers accept it. */
const clientVersion = "4.2.0";

/** Fetches the client without Java. Its Python is that of the embedded cluster's pods: `python3` of this machine. */
export function fetchConnectClient(): Peer {
  return fetchPeer(`pyspark-client-${clientVersion}`, "Python 3.10 with venv", (directory) => {
    call("python3", ["-m", "venv", join(directory, "venv")]);
    const packages = [`pyspark-client==${clientVersion}`, "pandas<3"];
    call(join(directory, "venv", "bin", "pip"), ["install", "--quiet", ...packages]);
  });
}

/** Runs a Python program with the client, or with PySpark in a directory. Returns its output. */
export function runConnectClient(program: string, url: string, pyspark?: string): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "client.py"), program);
  const interpreter = join(available(fetchConnectClient()).directory, "venv", "bin", "python");
  const variables = pyspark === undefined ? [] : [`PYTHONPATH=${pyspark}`];
  return call("env", [...variables, interpreter, join(directory, "client.py"), url]);
}

/** Computes on executors: `[Row(sum(id)=499500)]`, then `[Row(sum(x)=55)]` by a Python UDF. */
export const connectJob = `
import sys
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
print(spark.range(0, 1000, 1, 4).selectExpr("sum(id)").collect())
plus = udf(lambda x: x + 1, "long", useArrow=False)
print(spark.range(10).select(plus("id").alias("x")).selectExpr("sum(x)").collect())
spark.stop()
`;
