import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate for 127.0.0.1 that is its own authority, and its key; PEM. */
export function createKeys(): { readonly authority: string; readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "firesteel-keys-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const names = ["-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"];
    execFileSync("openssl", ["req", "-x509", ...curve, ...names, "-keyout", key, "-out", cert], {
      stdio: "ignore",
    });
    const pem = readFileSync(cert, "utf8");
    return { authority: pem, cert: pem, key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
