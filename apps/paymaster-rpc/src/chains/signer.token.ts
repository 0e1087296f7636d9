/** Injection token of the `OpenedSigners` of this process. */
export const SIGNERS = Symbol('SIGNERS');
