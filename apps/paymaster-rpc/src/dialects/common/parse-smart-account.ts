import {
  InvalidParamsError,
  SMART_ACCOUNT_VERSIONS,
  type SmartAccountInfo,
  type SmartAccountKind,
} from '@paymaster/domain';
import { INFINITISM_MISSPELT } from './mode.schema';

/** `smartAccountInfo` as its schema lets it through. @throws {InvalidParamsError} naming the version */
export function parseSmartAccount(info: { name: string; version: string }, field: string): SmartAccountInfo {
  const name = (info.name === INFINITISM_MISSPELT ? 'INFINITISM' : info.name) as SmartAccountKind;
  const versions = SMART_ACCOUNT_VERSIONS[name];
  if (!versions.includes(info.version)) {
    const list = versions.join(', ');
    throw new InvalidParamsError(`${field}.version`, `${field}.version must be one of ${list} for ${name}.`);
  }
  return { name, version: info.version };
}
