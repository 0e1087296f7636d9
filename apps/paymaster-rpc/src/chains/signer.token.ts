/** Injection token of the one `Signer` of this process. */
export const SIGNER = Symbol('SIGNER');
