import { runSparkSql } from "../cli/programs/spark-sql.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkSql(nodeHost()).then(endProgram);
