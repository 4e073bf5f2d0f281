/** Bytes that a slow reader may lag behind before the writer is paused. */
export const backlogBytes = 1024 * 1024;
