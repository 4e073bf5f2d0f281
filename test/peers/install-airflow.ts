import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Python packages of Airflow with Spark and Kubernetes support. */
const packages = [
  "apache-airflow==3.3.2",
  "apache-airflow-providers-apache-spark==6.3.4",
  "apache-airflow-providers-cncf-kubernetes==10.25.0",
];
const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
const environment = join(cache, "firesteel", "peers", packages.join("+").replaceAll("==", "-"));

/** Programs of Airflow's Python environment. */
export const airflowPrograms = join(environment, "bin");

/** Installs Airflow into a cached Python environment of about 700 MB. */
export function installAirflow(): void {
  if (existsSync(join(environment, "complete"))) return;
  call("python3", ["-m", "venv", environment]);
  call(join(airflowPrograms, "pip"), ["install", "--quiet", ...packages]);
  mkdirSync(join(environment, "complete"));
}

function call(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}

/** Variables of an Airflow with its own home directory, which uses a kubeconfig. */
export function airflowEnv(home: string, kubeconfig: string): Record<string, string> {
  return {
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__LOAD_EXAMPLES: "False",
    AIRFLOW__KUBERNETES_EXECUTOR__IN_CLUSTER: "False",
    AIRFLOW__KUBERNETES_EXECUTOR__CONFIG_FILE: kubeconfig,
  };
}
