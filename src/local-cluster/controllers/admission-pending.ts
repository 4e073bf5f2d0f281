/**
 * Thrown by a controller's write while webhooks admit it. The work queue repeats the task when they have responded; the same write
 * then continues, in the same tick in which the controller has read the stored objects.
 */
export class AdmissionPending extends Error {
  /** Resolves when the write can continue. Never rejects. */
  readonly settled: Promise<void>;
  /** Forgets the write unless it has continued meanwhile. */
  readonly discard: () => void;

  constructor({ settled, discard }: Pick<AdmissionPending, "settled" | "discard">) {
    super("admission webhooks have not responded yet");
    this.settled = settled;
    this.discard = discard;
  }
}
