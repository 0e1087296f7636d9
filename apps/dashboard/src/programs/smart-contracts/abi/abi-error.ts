import { InvalidBodyError } from '../../../platform/http/dashboard-errors';

/** The ABI, or a method named beside it, is not usable; the message says where. */
export class AbiError extends InvalidBodyError {
  override readonly reason = 'INVALID_ABI';
}
