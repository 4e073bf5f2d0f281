/** A server's certificate for tests, its own authority, good for the name `inside.test` alone. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBVzCB/6ADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBHRlc3QwIBcN
MjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMA8xDTALBgNVBAMMBHRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATmxgZ4DI5nwAwgJlxpVXPHXmxfYbG1
BZ+aMkex/V+LW+eqzdDP3q2g2dCThl4wVjWxHFvdeQRFeN0pAxvnEoGpo0owSDAP
BgNVHRMBAf8EBTADAQH/MBYGA1UdEQQPMA2CC2luc2lkZS50ZXN0MB0GA1UdDgQW
BBRqkYo5H9+C/SHD4KEEJ/8pULyoLTAKBggqhkjOPQQDAgNHADBEAiBxMJBdYSt/
qYWYoMdW5J3BL0NCzJMaxCXuchq2QRE7cAIgd8a33NxmW+NuED6WU/MWiVjNOyyh
9QafWc19IwJahCA=
-----END CERTIFICATE-----`;

/** The key of that certificate; it guards nothing. */
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIeG3OkucGqI44eOz
5i5F99vckn0OStMLlaFYhnqXNomhRANCAATmxgZ4DI5nwAwgJlxpVXPHXmxfYbG1
BZ+aMkex/V+LW+eqzdDP3q2g2dCThl4wVjWxHFvdeQRFeN0pAxvnEoGp
-----END PRIVATE KEY-----`;
