import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsName } from '../../platform/fields/text-rules';

class AccountName {
  @IsName()
  readonly name!: string;
}

/**
 * An account's name, by the rules of every name: it stands in the text that a funding wallet signs.
 *
 * @returns the name, trimmed and in Unicode NFC
 * @throws saying what is wrong with it
 */
export function parseAccountName(text: string): string {
  const parsed = plainToInstance(AccountName, { name: text });
  const [problem] = validateSync(parsed, { stopAtFirstError: true });
  if (problem) throw new Error(Object.values(problem.constraints ?? {})[0] ?? 'name is not valid');
  return parsed.name;
}
