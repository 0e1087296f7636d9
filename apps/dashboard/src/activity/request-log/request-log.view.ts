import { ApiProperty } from '@nestjs/swagger';
import { REQUEST_MODES, REQUEST_OUTCOMES } from '@paymaster/messaging';
import { ADDRESS, CHAIN_ID, ID_OR_NULL, NEXT_CURSOR, TEXT_OR_NULL } from '../../platform/fields/api-fields';
import type { RequestLogEntry, WholeRequestLogEntry } from './request-log-entry';

const ADDRESS_OR_NULL = { ...ADDRESS, nullable: true } as const;

/** A request that the request log keeps. */
export class RequestLogEntryView {
  @ApiProperty({ format: 'uuid' }) readonly id!: string;
  @ApiProperty({ format: 'date-time' }) readonly at!: string;
  @ApiProperty({ example: '7b0c1f0e-3b9b-4d5e-9a60-1c5c0d9e7f11' }) readonly requestId!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ example: 'pm_sponsorUserOperation' }) readonly method!: string;
  @ApiProperty({
    enum: REQUEST_MODES,
    description: 'How its gas was to be paid; none: the request has no operation, or was refused before.',
  })
  readonly mode!: string;
  @ApiProperty({ ...ID_OR_NULL, description: 'The named key that was used; null for the paymaster’s own key.' })
  readonly keyId!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, example: 'Website', description: 'The name of that key at the time.' })
  readonly keyName!: string | null;
  @ApiProperty(ADDRESS_OR_NULL) readonly entryPoint!: string | null;
  @ApiProperty(ADDRESS_OR_NULL) readonly sender!: string | null;
  @ApiProperty({
    enum: REQUEST_OUTCOMES,
    example: 'refused',
    description: 'Granted: signed. Invalid: the request was wrong. Failed: the gateway could not answer.',
  })
  readonly outcome!: string;
  @ApiProperty({ type: 'integer', nullable: true, example: -32501, description: 'Of the error; null for a signature.' })
  readonly code!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, example: 'SPENDING_LIMIT_REACHED' }) readonly reason!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, example: 'The spending limit of this paymaster is used up for now' })
  readonly message!: string | null;
  @ApiProperty({
    ...{ type: 'object', additionalProperties: { type: 'string' }, example: { limit: '2', used: '2' } },
    description: 'The values of the error.',
  })
  readonly details!: Readonly<Record<string, string>>;
  @ApiProperty({ type: Number, example: 3.4, description: 'How long the answer took; milliseconds.' })
  readonly durationMs!: number;
}

export class RequestLogPageView {
  @ApiProperty({ type: [RequestLogEntryView] }) readonly entries!: readonly RequestLogEntryView[];
  @ApiProperty(NEXT_CURSOR) readonly nextCursor!: string | null;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Requests of the last 24 hours that were not kept, because there were too many.',
  })
  readonly leftOut!: number;
}

/** With the operation, for `POST /explain`. */
export class WholeRequestLogEntryView extends RequestLogEntryView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { sender: ADDRESS.example, nonce: '0x5', callData: '0x' },
    description:
      'What `POST /explain` needs of the operation. It has no signatures. Null where the request had no operation that can be read, or one of more than 16 kB.',
  })
  readonly userOperation!: Readonly<Record<string, unknown>> | null;
}

export class ErasedRequestsView {
  @ApiProperty({ type: 'integer', example: 120, description: 'How many entries were erased.' })
  readonly erased!: number;
}

export function presentEntry({ key, ...entry }: RequestLogEntry): RequestLogEntryView {
  const { id, at, requestId, chainId, method, mode, keyName, entryPoint, sender, outcome } = entry;
  const { code, reason, message, details, durationMs } = entry;
  const keyId = key === 'main' ? null : key;
  const request = { id, at: at.toISOString(), requestId, chainId, method, mode, keyId, keyName, entryPoint, sender };
  return { ...request, outcome, code, reason, message, details, durationMs };
}

export function presentWholeEntry(entry: WholeRequestLogEntry): WholeRequestLogEntryView {
  return { ...presentEntry(entry), userOperation: entry.userOperation };
}
