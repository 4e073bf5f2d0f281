import { join } from "node:path";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";

/** Airflow with its provider for Livy, and two other clients. */
const packages = [
  "apache-airflow==3.3.2",
  "apache-airflow-providers-apache-livy==4.6.4",
  "livy==0.8.0",
  "livyclient==0.0.3",
];

/** Python environment with clients of Livy: downloads about 300 MB into the cache, once. */
export const livyClients: Peer = fetchPeer("livy-clients-4.6.4", "Python 3.10 with venv", (directory) => {
  call("python3", ["-m", "venv", directory]);
  call(join(directory, "bin", "pip"), ["install", "--quiet", ...packages]);
});
