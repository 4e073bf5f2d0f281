/** A value that a disk store returns synchronously and a remote store asynchronously. */
export type Awaitable<T> = T | Promise<T>;
