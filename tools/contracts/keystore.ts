import { readFileSync } from 'node:fs';
import { Wallet, type HDNodeWallet } from 'ethers';
import { UsageError, type CommandLine } from './command-line';

/** The key of an encrypted file. @throws {UsageError} naming the option */
export async function openKeystore(line: CommandLine): Promise<Wallet | HDNodeWallet> {
  const keystore = readOption(line, 'keystore');
  const passphrase = readPassphrase(line);
  try {
    return await Wallet.fromEncryptedJson(keystore, passphrase);
  } catch {
    throw new UsageError('--keystore and --passphrase-file do not belong together, or the keystore is none');
  }
}

/** As the gateway reads it: without the line break that editors end a file with. */
export function readPassphrase(line: CommandLine): string {
  const passphrase = readOption(line, 'passphrase-file').replace(/\r?\n$/, '');
  if (passphrase === '') throw new UsageError('--passphrase-file is empty');
  return passphrase;
}

function readOption(line: CommandLine, name: 'keystore' | 'passphrase-file'): string {
  const file = line.required(name);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`--${name}: ${file} cannot be read`);
  }
}
