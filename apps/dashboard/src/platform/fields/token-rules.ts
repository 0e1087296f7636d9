import { applyDecorators } from '@nestjs/common';
import { CHARGING_WAYS, NATIVE_PSEUDO_ADDRESS } from '@paymaster/domain';
import { ArrayUnique, IsArray, IsIn, Matches } from 'class-validator';
import { IsStoredAddress } from './text-rules';

/** A list of ways to charge in tokens, each once. The first rule listed is the first one checked. */
export function AreChargingWays(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    IsIn(CHARGING_WAYS, { each: true }),
    ArrayUnique({ message: '$property must not name a way twice' }),
  );
}

/** An address in any case that somebody can have. */
export function IsNonZeroAddress(): PropertyDecorator {
  return applyDecorators(
    IsStoredAddress(),
    Matches(/^0x(?!0{40}$)/, { message: '$property must not be the zero address' }),
  );
}

/** An address in any case under which a token can lie. */
export function IsTokenAddress(): PropertyDecorator {
  return applyDecorators(
    IsNonZeroAddress(),
    Matches(new RegExp(`^(?!${NATIVE_PSEUDO_ADDRESS}$)`, 'i'), {
      message: `$property must be that of a token: ${NATIVE_PSEUDO_ADDRESS} stands for the native coin`,
    }),
  );
}
