import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

/** One environment variable of a configuration class. */
export interface EnvVariable {
  readonly property: string;
  readonly name: string;
  /** A sentence for the operator; shown when the value is missing or wrong, and in `.env.example`. */
  readonly description: string;
  /** A secret may also come from the file that `<NAME>_FILE` names, and is never printed. */
  readonly secret: boolean;
}

const ENV_VARIABLES = Symbol('nest-kit:env-variables');

/** Binds a property of a configuration class to an environment variable. */
export function Env(name: string, description: string, options: { secret?: boolean } = {}): PropertyDecorator {
  return (target, property) => {
    const variables = envVariablesOf(target.constructor);
    const variable: EnvVariable = { property: String(property), name, description, secret: options.secret ?? false };
    Reflect.defineMetadata(ENV_VARIABLES, [...variables, variable], target.constructor);
  };
}

/** Binds a property to an environment variable that is a whole number within bounds. */
export function EnvInteger(
  name: string,
  description: string,
  { from, to }: { readonly from: number; readonly to?: number },
): PropertyDecorator {
  return applyDecorators(
    Env(name, description),
    Type(() => Number),
    IsInt(),
    Min(from),
    ...(to === undefined ? [] : [Max(to)]),
  );
}

/** Every variable of a configuration class, in the order of declaration. */
export function envVariablesOf(configClass: object): readonly EnvVariable[] {
  return (Reflect.getMetadata(ENV_VARIABLES, configClass) as EnvVariable[] | undefined) ?? [];
}
