import { InvalidParamsError } from '@paymaster/domain';
import { smartAccountOf, type SmartAccountInfo } from '@paymaster/policy';

/** `smartAccountInfo` as its schema lets it through. @throws {InvalidParamsError} naming what is not known */
export function parseSmartAccount(info: SmartAccountInfo, field: string): SmartAccountInfo {
  const known = smartAccountOf(info.name);
  if (!known) throw new InvalidParamsError(`${field}.name`, `${field}.name is not known.`);
  const { name, versions } = known;
  if (!versions.includes(info.version)) {
    const list = versions.join(', ');
    throw new InvalidParamsError(`${field}.version`, `${field}.version must be one of ${list} for ${name}.`);
  }
  return { name, version: info.version };
}
