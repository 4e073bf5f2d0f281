import type { Host } from "../../host/host.ts";
import type { semaphore } from "../../host/semaphore.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { AuthenticationOptions } from "../authentication/authenticator.ts";
import type { BlockSource } from "../files/block-source.ts";
import type { RegistrationLog } from "../registry/registration-log.ts";
import type { Registrations } from "../registry/registrations.ts";
import type { BufferPool } from "./buffer-pool.ts";
import type { Connection } from "./connection.ts";
import type { Counters, Durations } from "./counters.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import type { OpenStreams } from "./streams.ts";

/** Limits of a service. */
export interface ServiceLimits {
  readonly maxConnections: number;
  readonly maxChunksInFlight: number;
  /** Closes a connection without traffic after this time. */
  readonly connectionTimeoutMs: number;
  /** Time in which a connection must authenticate. */
  readonly handshakeTimeoutMs: number;
  /** Time in which running requests end when the service stops. */
  readonly drainMs: number;
}

/** Everything that the connections of a service share. */
export interface ServiceScope {
  readonly host: Pick<Host, "clock" | "random" | "files">;
  readonly limits: ServiceLimits;
  /** `undefined`: every client may do everything. */
  readonly authentication: AuthenticationOptions | undefined;
  readonly registrations: Registrations;
  /** `undefined`: registrations are lost at a restart. */
  readonly registrationLog: RegistrationLog | undefined;
  readonly source: BlockSource;
  readonly streams: OpenStreams<Connection>;
  readonly buffers: BufferPool;
  readonly memory: MemoryBudget;
  /** Limits the diagnoses of corruptions, each of which reads a block. */
  readonly diagnoses: ReturnType<typeof semaphore>;
  readonly counters: Counters;
  readonly durations: Durations;
  readonly log: ServerLog;
  /** Log for what clients can cause: at most once a minute for each text. */
  readonly limitedLog: ServerLog;
}
