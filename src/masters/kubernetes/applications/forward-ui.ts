import { submitError } from "../../../errors/submit-error.ts";
import { uiPortOf } from "../watch/ui-port.ts";
import { applicationState } from "./application-summary.ts";
import { forwardDriverPort } from "./forward-driver-port.ts";
import { type FollowedDriver, waitForState } from "./wait-for-state.ts";

interface ForwardUiCall extends FollowedDriver {
  /** Port of 127.0.0.1, 0 for any; `undefined` for that of Spark, else any. */
  readonly localPort: number | undefined;
  /** Called when the URL can be opened. */
  readonly onOpen: (url: string) => void;
  /** Receives the reason why a connection failed. */
  readonly onFailure: (reason: string) => void;
}

const sparkPort = 4040;

/**
 * Forwards a port of this machine to a driver's UI until the driver ends or the signal aborts.
 *
 * @throws SUBMIT_ERR_DRIVER_NOT_RUNNING, SUBMIT_ERR_UI_PORT
 */
export async function forwardUi(call: ForwardUiCall): Promise<void> {
  const { driver, onOpen } = call;
  const { namespace, name } = driver.metadata ?? {};
  const state = applicationState(driver);
  if (state !== "running") throw submitError("SUBMIT_ERR_DRIVER_NOT_RUNNING", { id: `${namespace}:${name}`, state });
  const forwarded = await forwardDriverPort({ ...call, port: uiPortOf(driver), usualPort: sparkPort });
  try {
    onOpen(`http://127.0.0.1:${forwarded.port}`);
    await waitForState(call, (current) => current !== "running");
  } finally {
    forwarded.close();
  }
}
