import type { Account } from "./account.ts";
import type { Entry } from "./kubeconfig-file.ts";
import type { AccountContext } from "./user-access.ts";

/** A kubeconfig's user whose credentials have further sources, and the data that is already known. */
export interface Identified {
  readonly account: Account;
  readonly cluster: Entry | undefined;
  readonly user: Entry;
  /** Settings or the environment have a token, which beats the user's. */
  readonly isTokenOverruled: boolean;
  readonly accountContext: AccountContext;
}
