import { expect, test } from "vitest";
import { loginError } from "./login-error.ts";

const general = "Unspecified GSS failure.  Minor code may provide more information";

test.each([
  [`${general} (Ticket expired)`, "Ticket expired", "kinit"],
  [
    `${general}: No Kerberos credentials available (default cache: FILE:/tmp/x)`,
    "No Kerberos credentials available (default cache: FILE:/tmp/x)",
    "Get a ticket: kinit",
  ],
  [
    `${general}: Server HTTP/10.0.0.1@R not found in Kerberos database`,
    "Server HTTP/10.0.0.1@R not found",
    "host name",
  ],
  ["kinit: Cannot contact any KDC for realm 'R' while getting", "Cannot contact any KDC for realm 'R'", "krb5.conf"],
  [
    "No credentials were supplied, or the credentials were unavailable or inaccessible: Can't find client principal a@R in cache collection",
    "Can't find client principal a@R in cache collection.",
    "klist -k",
  ],
  ["kinit: Clock skew too great while getting initial credentials", "Clock skew too great", "5 minutes"],
  ["kinit: Client 'ann@R' not found in Kerberos database", "Client 'ann@R' not found", "klist -k"],
])("%s is explained", (message, reason, hint) => {
  expect(loginError("ann@R", message)).toMatchObject({
    code: "SUBMIT_ERR_KERBEROS_LOGIN",
    message: expect.stringContaining(`failed for ann@R: ${reason}`),
    issues: [{ hint: expect.stringContaining(hint) }],
  });
});
