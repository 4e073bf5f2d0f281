import { load } from "js-yaml";
import { expect, test } from "vitest";
import { gatewayFlags, gatewayValues } from "../../src/cli/commands/gateway/gateway-options.ts";
import { serviceOptions } from "../../src/cli/commands/shuffle-service/service-properties.ts";
import { stagingOptions } from "../../src/cli/commands/staging-server/option-texts.ts";
import { readIfThere } from "./sources.ts";

const directory = "deploy/helm/firesteel";
const read = (path: string) => readIfThere(path) ?? "";

/** Options that templates set, or that a pod does not need because it has a service account and PEM files. */
const optionsWithoutValue = [
  ...[
    "port",
    "host",
    "store",
    "s3-endpoint",
    "s3-region",
    "s3-path-style",
    "s3-ca",
    "lease-object",
    "keys",
    "auth",
    "owners",
  ],
  // The stores of the chart are volumes and buckets.
  ...["hdfs-principal", "hdfs-keytab"],
  ...[
    "internal-url",
    "drain",
    "api-ca",
    "api-client-key",
    "api-client-cert",
    "api-token-file",
    "api-token",
    "use-service-account",
  ],
];

test("the chart has the version of the package", () => {
  const { version } = JSON.parse(read("package.json"));
  expect(load(read(`${directory}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
});

test("stagingServer.options of the chart accepts every option that the chart does not set itself", () => {
  const { properties } = JSON.parse(read(`${directory}/values.schema.json`));
  const accepted = Object.keys(properties.stagingServer.properties.options.properties);
  const expected = stagingOptions.filter(
    (option) => !optionsWithoutValue.includes(option) && !/^tls(?!-reload)/.test(option),
  );
  expect(accepted.sort()).toEqual([...expected].sort());
});

test("shuffleService.options of the chart accepts every option that the chart does not set itself", () => {
  const { properties } = JSON.parse(read(`${directory}/values.schema.json`));
  const accepted = Object.keys(properties.shuffleService.properties.options.properties);
  const set = [
    "port",
    "host",
    "directories",
    "state-dir",
    "secrets-dir",
    "metrics-port",
    "metrics-host",
    "clean",
    "namespace",
  ];
  expect(accepted.sort()).toEqual(serviceOptions.filter((option) => !set.includes(option)).sort());
});

test("gateway.options of the chart accepts every option that the chart does not set itself", () => {
  const { properties } = JSON.parse(read(`${directory}/values.schema.json`));
  const accepted = Object.keys(properties.gateway.properties.options.properties).map((option) => `--${option}`);
  const set = [
    ...["--port", "--host", "--auth", "--name", "-n", "--namespace", "--password-file", "--elect", "--csrf"],
    ...["--session-key-file", "--ui-port", "--ui-url", "--metrics-port", "--store"],
  ];
  // Another port, a cluster elsewhere, files and programs that the pod does not have, and a permission that the chart does not give.
  const unused = [
    "--rest-port",
    "--rest-host",
    "--cluster",
    "--context",
    "--rejected-settings",
    "--impersonate",
    "--history-server",
  ];
  const expected = [...gatewayFlags, ...gatewayValues].filter(
    (option) => ![...set, ...unused].includes(option) && !/^--(tls|oidc)/.test(option),
  );
  expect(accepted.sort()).toEqual(expected.sort());
});
