/** Account kinds a client may name in `smartAccountInfo`; a decoding hint. */
export const SMART_ACCOUNT_KINDS = ['BICONOMY', 'INFINITISM', 'SAFE'] as const;
export type SmartAccountKind = (typeof SMART_ACCOUNT_KINDS)[number];

/** Versions each account kind is known in. */
export const SMART_ACCOUNT_VERSIONS: Readonly<Record<SmartAccountKind, readonly string[]>> = {
  BICONOMY: ['1.0.0', '2.0.0'],
  INFINITISM: ['1.0.0'],
  SAFE: ['1.4.1'],
};

export interface SmartAccountInfo {
  readonly name: SmartAccountKind;
  readonly version: string;
}
