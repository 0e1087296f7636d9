import type { Address } from '@paymaster/domain';
import { normalizeAddress } from '@paymaster/domain';
import { getAddress } from 'ethers';

/** The fields of a Sign-In with Ethereum message that decide whether it is believed. */
export interface SiweMessage {
  /** `https` or another, where the message says it. */
  readonly scheme: string | null;
  /** Host and port of the page that asks for the signature. */
  readonly domain: string;
  readonly address: Address;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expirationTime: Date | null;
  readonly notBefore: Date | null;
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`;
const TEXT = String.raw`[\x20-\x7e]`;
const URI = String.raw`[\x21-\x7e]+`;

/**
 * The whole of a message, as ERC-4361 writes it; every character of it belongs to a field or to the form. So a wallet
 * that shows the fields shows the whole text.
 */
const MESSAGE = new RegExp(
  [
    String.raw`^(?:(?<scheme>[a-z][a-z0-9+.-]*)://)?(?<domain>[A-Za-z0-9.\-\[\]:]+) wants you to sign in with your Ethereum account:\n`,
    String.raw`(?<address>0x[0-9a-fA-F]{40})\n\n(?:(?<statement>${TEXT}+)\n)?\n`,
    String.raw`URI: (?<uri>${URI})\nVersion: 1\nChain ID: (?<chainId>[1-9]\d{0,14})\nNonce: (?<nonce>[A-Za-z0-9]{8,128})\n`,
    String.raw`Issued At: (?<issuedAt>${TIME})(?:\nExpiration Time: (?<expirationTime>${TIME}))?`,
    String.raw`(?:\nNot Before: (?<notBefore>${TIME}))?(?:\nRequest ID: (?<requestId>${TEXT}*))?`,
    String.raw`(?<resources>\nResources:(?:\n- ${URI})*)?$`,
  ].join(''),
);

/**
 * Reads a message of ERC-4361, strictly: version 1, the address with its checksum (ERC-55), times of RFC 3339.
 *
 * @returns its fields, or null when the text is anything else
 */
export function parseSiweMessage(text: string): SiweMessage | null {
  const fields = MESSAGE.exec(text)?.groups;
  if (!fields) return null;
  const { scheme, domain = '', address = '', uri = '', chainId, nonce = '', issuedAt } = fields;
  const { expirationTime, notBefore } = fields;
  const times = [issuedAt, expirationTime, notBefore].map((time) => (time === undefined ? null : new Date(time)));
  const [issued = null, expires = null, begins = null] = times;
  const isTime = times.every((time) => time === null || !Number.isNaN(time.getTime()));
  if (!isTime || !issued || !hasChecksum(address)) return null;
  return {
    ...{ scheme: scheme ?? null, domain, address: normalizeAddress(address), uri, chainId: Number(chainId), nonce },
    ...{ issuedAt: issued, expirationTime: expires, notBefore: begins },
  };
}

function hasChecksum(address: string): boolean {
  return getAddress(address.toLowerCase()) === address;
}
