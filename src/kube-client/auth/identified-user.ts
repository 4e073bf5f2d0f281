import type { Account } from "./account.ts";
import type { Entry } from "./kubeconfig-file.ts";
import type { AccountContext } from "./user-access.ts";

/** A kubeconfig's user who is known by more than what stands in place, and what is known already. */
export interface Identified {
  readonly account: Account;
  readonly cluster: Entry | undefined;
  readonly user: Entry;
  /** Settings or the environment have a token, which beats the user's. */
  readonly isTokenOverruled: boolean;
  readonly accountContext: AccountContext;
}
