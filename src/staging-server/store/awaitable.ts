/** What is on a disk is there at once, and what is elsewhere later. */
export type Awaitable<T> = T | Promise<T>;
