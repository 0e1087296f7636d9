import { nameCall } from '../../abi/decode-call';
import type { OperationSummary, Schemas } from '../../api/queries';
import { inList } from './at-bundler';

/** What is registered for the paymaster, by whose names operations are shown. */
export interface Known {
  readonly contracts: readonly Schemas['SmartContractView'][];
  /** By id; shared ones too. */
  readonly policies: ReadonlyMap<string, string>;
  readonly tokens: readonly Pick<Schemas['TokenView'], 'address' | 'symbol'>[];
}

/** What a row says of an operation. What has no name is shown by its id. */
export interface RowTexts {
  readonly contract: string;
  readonly method: string;
  /** Why it was refused; else what a bundler did with it, and the policy that sponsored it. */
  readonly policy: string;
  readonly payment: string;
}

export function rowTexts(operation: OperationSummary, { contracts, policies, tokens }: Known, nowMs: number): RowTexts {
  const { call, calls, policyId, mode, token, reason } = operation;
  const named = call && nameCall({ ...call, valueWei: '0' }, contracts);
  const more = calls > 1 ? ` and ${calls - 1} more` : '';
  const policy = policyId === null ? 'no policy' : (policies.get(policyId) ?? `policy ${policyId.slice(0, 8)}`);
  const symbol = tokens.find(({ address }) => address === token)?.symbol;
  return {
    contract: call ? (named?.contract ?? shortHex(call.to)) : 'no call',
    method: call ? `${named?.method?.signature ?? call.selector ?? 'transfer of coin'}${more}` : '',
    policy: reason ?? [inList(operation, nowMs), policy].filter(Boolean).join('; '),
    payment: mode === 'token' ? (symbol ?? (token ? shortHex(token) : 'a token')) : 'sponsored',
  };
}

/** An address, cut in the middle. */
export function shortHex(text: string): string {
  return `${text.slice(0, 6)}…${text.slice(-4)}`;
}
