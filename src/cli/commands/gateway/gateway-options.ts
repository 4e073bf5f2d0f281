/** Flags of `firesteel gateway`. */
export const gatewayFlags = ["--csrf", "--elect", "--history-server", "--impersonate"] as const;
/** Its options with values. */
export const gatewayValues = [
  ...(["--port", "--host", "--cluster", "--auth", "--name", "--prefix", "-n", "--namespace", "--context"] as const),
  ...(["--rest-port", "--rest-host"] as const),
  ...(["--tls-cert", "--tls-key", "--tls-client-ca"] as const),
  ...(["--user-rate", "--user-concurrent", "--allowed-hosts", "--log-dir", "--store"] as const),
  ...(["--oidc-issuer-url", "--oidc-client-id", "--oidc-client-secret-file", "--oidc-audience"] as const),
  ...(["--oidc-username-claim", "--oidc-username-prefix", "--oidc-groups-claim", "--oidc-groups-prefix"] as const),
  ...(["--oidc-scopes", "--oidc-ca-file", "--session-key-file"] as const),
  ...(["--external-url", "--ui-port", "--ui-url", "--metrics-port"] as const),
  ...(["--password-file", "--livy-list", "--livy-names", "--rejected-settings", "--keep", "--keep-max"] as const),
] as const;
