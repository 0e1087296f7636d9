export function toDigits(amount: bigint | null): string | null {
  return amount === null ? null : amount.toString();
}

export function fromDigits(digits: string | null): bigint | null {
  return digits === null ? null : BigInt(digits);
}
