import type { HadoopUser } from "../../../hadoop/hadoop-call.ts";
import type { Host } from "../../../host/host.ts";

/** Returns the user of a submission for servers with simple authentication. */
export function hadoopUser({ env, user }: Host, proxied: string | undefined): HadoopUser {
  return { name: env["HADOOP_USER_NAME"] || user.name, proxied };
}
