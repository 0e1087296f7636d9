/** What a browser or a device said in place of an answer, for the person. */
export class PasskeyError extends Error {}
