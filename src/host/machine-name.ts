/** Name by which pods of the embedded cluster reach servers at 127.0.0.1 of its machine. */
export const machineName = "host.firesteel.internal";
