/** Addresses that other machines cannot reach. */
export const loopback = /^(127(\.\d+){3}|::1|localhost)$/;
