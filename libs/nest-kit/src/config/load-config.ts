import { readFileSync, statSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { envVariablesOf, type EnvVariable } from './env.decorator';

/** A larger file is surely not the intended one; bytes. */
const MAX_SECRET_BYTES = 65_536;

/** The environment does not make a usable configuration; the message lists every variable that is wrong. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads a configuration class from the environment. An empty variable counts as unset; a secret may come from
 * the file named by `<NAME>_FILE` instead.
 *
 * @param configClass a class whose properties carry {@link Env} and class-validator decorators
 * @returns a frozen instance
 * @throws {ConfigError} naming each missing or wrong variable with its description, never its value
 */
export function loadConfig<T extends object>(
  configClass: new () => T,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<T> {
  const variables = envVariablesOf(configClass);
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const variable of variables) {
    const value = readVariable(variable, env, problems);
    if (value !== undefined) values[variable.property] = value;
  }
  const config = plainToInstance(configClass, values, { exposeDefaultValues: true });
  for (const error of validateSync(config, { stopAtFirstError: true })) {
    const variable = variables.find(({ property }) => property === error.property);
    const [constraint] = Object.values(error.constraints ?? {});
    const sentence = (constraint ?? 'is not valid').replace(error.property, '').trim();
    problems.push(`${variable?.name ?? error.property} ${sentence} (${variable?.description ?? 'no description'})`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function readVariable(
  variable: EnvVariable,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): string | undefined {
  const direct = env[variable.name];
  if (direct !== undefined && direct !== '') return direct;
  const file = variable.secret ? env[`${variable.name}_FILE`] : undefined;
  if (!file) return undefined;
  const [value, problem] = readSecretFile(file);
  if (problem) problems.push(`${variable.name}_FILE names a file that ${problem} (${variable.description})`);
  return value;
}

/** @returns the content without the white space around it, which editors add; or what is wrong with the file */
function readSecretFile(file: string): [value: string | undefined, problem?: string] {
  try {
    if (statSync(file).size > MAX_SECRET_BYTES) return [undefined, 'is too large for a secret'];
    const value = readFileSync(file, 'utf8').trim();
    return value === '' ? [undefined, 'is empty'] : [value];
  } catch {
    return [undefined, 'cannot be read'];
  }
}
