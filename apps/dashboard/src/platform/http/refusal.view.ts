import { ApiProperty } from '@nestjs/swagger';

/** The body of a refusal on a row of the interface document. */
export class InterfaceRefusalView {
  @ApiProperty({ type: 'integer', description: 'The HTTP status, except where the interface document says otherwise.' })
  readonly statusCode!: number;
  @ApiProperty({ description: 'For a person. It names each wrong field of a body, up to ten.' })
  readonly message!: string;
}

/** The body of every other refusal. */
export class RefusalView extends InterfaceRefusalView {
  @ApiProperty({
    pattern: '^[A-Z][A-Z0-9_]*$',
    description: 'A stable word for the condition: docs/api/dashboard-errors.md.',
  })
  readonly reason!: string;
  @ApiProperty({ description: 'Also in the header x-request-id, and in the logs of the operator.' })
  readonly requestId!: string;
}

/** The body of a refusal: existing clients of the interface document get exactly its two fields. */
export function toRefusalView(
  { statusCode, message, ...more }: RefusalView,
  { isInterfaceRow }: { readonly isInterfaceRow: boolean },
): InterfaceRefusalView | RefusalView {
  return isInterfaceRow ? { statusCode, message } : { statusCode, message, ...more };
}
