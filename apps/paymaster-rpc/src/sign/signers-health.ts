import type { HealthReport } from '@paymaster/nest-kit';
import type { SignerMembership, SignerSet } from '@paymaster/signers';

interface SignedChain {
  readonly config: { readonly chainId: number; readonly entryPoints: object };
  readonly signer: Pick<SignerMembership, 'strangerTo' | 'unsignable'>;
}

/**
 * Down when no contract has a signer that can sign for it. Degraded when a signer is down, when a contract does not
 * accept a signer, or when the changed signers' file is invalid. The detail names the state of every signer.
 *
 * @param trouble what is wrong with the signers' file as it is now
 */
export function signersHealth(input: {
  signers: Pick<SignerSet, 'report'>;
  chains: Iterable<SignedChain>;
  trouble: string | undefined;
}): HealthReport {
  const { signers, trouble } = input;
  const chains = [...input.chains];
  const states = signers.report().map(({ name, address, isUp, downBecause }) => {
    const strangerTo = chains.flatMap(({ config, signer }) =>
      signer.strangerTo(address).map((version) => `${config.chainId}:v${version}`),
    );
    const troubles = [
      ...(isUp ? [] : [`down (${downBecause})`]),
      ...(strangerTo.length > 0 ? [`in no signer set of ${strangerTo.join(', ')}`] : []),
    ];
    return { isWell: troubles.length === 0, text: `${name} ${address} ${troubles.join(', ') || 'up'}` };
  });
  const contracts = chains.reduce((count, { config }) => count + Object.keys(config.entryPoints).length, 0);
  const unsignable = chains.reduce((count, { signer }) => count + signer.unsignable().length, 0);
  const isWell = states.every((state) => state.isWell) && trouble === undefined;
  const detail = [...states.map(({ text }) => text), ...(trouble === undefined ? [] : [`file refused: ${trouble}`])];
  return {
    status: unsignable === contracts && contracts > 0 ? 'down' : isWell ? 'up' : 'degraded',
    detail: detail.join('; '),
  };
}
