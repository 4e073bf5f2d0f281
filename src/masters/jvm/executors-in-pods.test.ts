import { describe, expect, test } from "vitest";
import { appArgs, sparkEnv, startInJvm } from "./test-jvm.ts";
import { sparkFiles } from "./test-launch.ts";

describe("a local driver with executors in pods", () => {
  const k8s = (master: string) => ["--master", master, "--deploy-mode", "client", ...appArgs];

  test("gets a warning if no deploy mode is specified for the embedded cluster, except a shell", async () => {
    const errorTextFor = async (argv: readonly string[], env = {}) =>
      (await startInJvm(argv, { env: { ...sparkEnv, ...env } })).host.errorText();
    const argv = ["--master", "k8s://embedded"];
    const hint = "To run the driver there, too, add --deploy-mode cluster";
    expect(await errorTextFor([...argv, ...appArgs])).toContain(hint);
    expect(await errorTextFor(k8s("k8s://embedded"))).toBe("");
    expect(await errorTextFor([...argv, ...appArgs], { FIRESTEEL_STRICT: "1" })).toBe("");
    expect(await errorTextFor([...argv, "--conf", "spark.submit.deployMode=client", ...appArgs])).toBe("");
    expect(await errorTextFor(["--master", "k8s://https://h:6443", ...appArgs])).not.toContain(hint);
    expect(await errorTextFor([...argv, "--class", "org.apache.spark.repl.Main"])).toBe("");
  });

  test("gets warnings about unreachable executors, except when Spark's exact behavior is requested", async () => {
    const text = (await startInJvm(k8s("k8s://https://h:6443"))).host.errorText();
    expect(text).toMatch(/ WARN SparkSubmit: Spark chooses the address of this driver/);
    const strict = { ...sparkEnv, FIRESTEEL_STRICT: "1" };
    expect((await startInJvm(k8s("k8s://https://h:6443"), { env: strict })).host.errorText()).toBe("");
    const inPod = { ...sparkEnv, KUBERNETES_SERVICE_HOST: "10.0.0.1", HOSTNAME: "notebook-0" };
    const specified = (await startInJvm(k8s("k8s://https://h:6443"), { env: inPod })).host.errorText();
    expect(specified).toContain("Set it to notebook-0.");
  });

  test("gets warnings about executors that end without a shuffle service, except with Spark's exact behavior", async () => {
    const argv = ["--conf", "spark.shuffle.service.enabled=true", ...k8s("k8s://embedded")];
    const text = (await startInJvm(argv)).host.errorText();
    expect(text).toContain(" WARN SparkConf: spark.shuffle.service.enabled is true: each executor registers with");
    const strict = { ...sparkEnv, FIRESTEEL_STRICT: "1" };
    expect((await startInJvm(argv, { env: strict })).host.errorText()).toBe("");
  });

  test("gets warnings about an unusable configured address or ports", async () => {
    const argv = ["--conf", "spark.driver.host=198.51.100.4", "--conf", "spark.driver.port=7078"];
    const errorTextFor = async (faults: (address: string, port: number) => string | undefined) => {
      const network = { tryListening: async (...of: [string, number]) => faults(...of) };
      return (await startInJvm([...argv, ...k8s("k8s://https://h:6443")], { network })).host.errorText();
    };
    expect(await errorTextFor(() => undefined)).not.toContain("198.51.100.4");
    expect(await errorTextFor(() => "EADDRNOTAVAIL")).toContain("Spark cannot listen there.");
    expect(await errorTextFor((_, port) => (port === 7078 ? "EADDRINUSE" : undefined))).toContain(
      "spark.driver.port is 7078, but another program listens there",
    );
  });

  test("uses the embedded cluster with the Spark and the image of one version", async () => {
    const { args, env, host } = await startInJvm(k8s("k8s://embedded"));
    const expectedArgs = args.slice(args.indexOf("--master"));
    expect(expectedArgs.slice(0, 2)).toEqual(["--master", "k8s://https://127.90.0.1:6443"]);
    expect(expectedArgs).toContain("spark.driver.host=127.90.0.1");
    expect(expectedArgs).toContain("spark.kubernetes.container.image=spark:4.3.0");
    expect(args.join(" ")).not.toContain("the-token");
    expect(env["KUBECONFIG"]).toMatch(/\/firesteel\/inside\/\d+-/);
    expect(host.files.info(env["KUBECONFIG"] ?? "")).toBeUndefined();
    expect(host.errorText()).toBe("");
  });

  test("gets a warning about an address that in a pod of the embedded cluster is the pod", async () => {
    const errorTextFor = async (address: string) =>
      (await startInJvm(["--conf", `spark.driver.host=${address}`, ...k8s("k8s://embedded")])).host.errorText();
    for (const address of ["127.0.0.1", "localhost"])
      expect(await errorTextFor(address)).toContain(
        `spark.driver.host is ${address}, which in the pod of an executor is the pod itself, not this driver. Remove it, or set it to 127.90.0.1.`,
      );
    expect(await errorTextFor("127.1.0.1")).toBe("");
  });

  test("gets a warning about an application that exists only in the image", async () => {
    const errorTextFor = async (path: string, master: string) => {
      const files = { ...sparkFiles, "/here/app.py": "" };
      const argv = ["--master", master, "--conf", "spark.driver.host=192.0.2.7", `local://${path}`];
      return (await startInJvm(argv, { files })).host.errorText();
    };
    for (const master of ["k8s://embedded", "k8s://https://h:6443"]) {
      expect(await errorTextFor("/opt/app.py", master)).toContain("/opt/app.py does not exist on this machine");
      expect(await errorTextFor("/here/app.py", master)).not.toContain("is not on this machine");
    }
  });

  test("prefers the user's settings over those of the embedded cluster", async () => {
    const specified = ["spark.driver.host=192.0.2.1", "spark.kubernetes.executor.container.image=mine:1"];
    const { args } = await startInJvm([...specified.flatMap((text) => ["--conf", text]), ...k8s("k8s://embedded")]);
    expect(args.filter((arg) => /^spark\..*(host|image)=/.test(arg))).toEqual(specified);
    const strict = await startInJvm(k8s("k8s://embedded"), { env: { ...sparkEnv, FIRESTEEL_STRICT: "1" } });
    expect(strict.args).toContain("k8s://embedded");
  });
});
