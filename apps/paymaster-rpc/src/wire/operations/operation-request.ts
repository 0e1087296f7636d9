import type { SponsorRequest } from '../../decide/verdict/judge-operation.service';
import type { TokenRequest } from '../../decide/tokens/named-tokens';

/** What a client wants for an operation, whichever dialect it speaks. */
export type OperationRequest = SponsorRequest | TokenRequest;
