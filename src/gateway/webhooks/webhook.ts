import type { GatewayState } from "../model/application.ts";

/** A receiver of changes of applications. Only the configuration of the gateway names receivers. */
export interface Webhook {
  /** Name in records, logs and metrics. */
  readonly name: string;
  readonly url: URL;
  /** Keys of the signatures: while a key is replaced, the new one and the old one. */
  readonly keys: readonly Uint8Array[];
  /** States that the receiver gets. */
  readonly states: ReadonlySet<GatewayState>;
}
