export interface FundingMessageParts {
  readonly paymasterName: string;
  readonly paymasterId: string;
  readonly accountName: string;
  readonly chainName: string;
  readonly chainId: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** 128 random bits, hex: two messages are never equal. */
  readonly nonce: string;
}

/** What the wallet's owner reads before signing: what the signature allows, what it does not, and how to take it back. */
export function fundingMessageText(parts: FundingMessageParts): string {
  const { paymasterName, paymasterId, accountName, chainName, chainId, issuedAt, expiresAt, nonce } = parts;
  return [
    // Names as JSON strings: one with quotes in it cannot end the sentence early and go on in its own words.
    `By signing, this wallet lets the paymaster ${JSON.stringify(paymasterName)} spend the gas deposit of this wallet on chain ${chainId} (${chainName}).`,
    '',
    'No transaction is sent and signing costs nothing.',
    'To revoke, withdraw the deposit from the paymaster contract with this wallet.',
    '',
    `Paymaster: ${paymasterId}`,
    `Account: ${JSON.stringify(accountName)}`,
    `Timestamp: ${issuedAt.toISOString()}`,
    `Expires: ${expiresAt.toISOString()}`,
    `Nonce: ${nonce}`,
  ].join('\n');
}
