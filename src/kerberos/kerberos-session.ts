/** First token for a service, and the check of what the service returns. */
export interface Negotiation {
  /** Base64, for `Authorization: Negotiate`. */
  readonly token: string;
  /** Checks the token of the service, which proves its identity. Rejects if it is wrong. */
  readonly verify: (response: string) => Promise<void>;
}

/** A Kerberos login for requests to HTTP services. */
export interface KerberosSession {
  /** E.g. `ann@EXAMPLE.COM`. */
  readonly principal: string;
  /** Starts an exchange with the web server of a host. Rejects with SUBMIT_ERR_KERBEROS_LOGIN. */
  readonly negotiate: (hostName: string) => Promise<Negotiation>;
  /** Removes the tickets of a keytab. */
  readonly close: () => void;
}

/** Keys of a login; without them, the tickets of the user are used. */
export interface KeytabLogin {
  readonly principal: string;
  /** Absolute path. */
  readonly keytab: string;
}
