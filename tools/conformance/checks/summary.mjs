import { failed, passed } from '../world/outcome.mjs';

/** What is said of all answers; tried last. */
export const summary = [
  {
    id: 'all.no-internal-error',
    title: 'nothing that was sent made the service fail',
    source: 'JSON-RPC 2.0: -32603 is an internal error',
    why: 'An answer of 500 tells an attacker where to look, and clients send the request again.',
    needs: [],
    sent: 'everything above',
    async attempt({ paymaster }) {
      const faults = paymaster.answers.filter(({ http, code }) => http === 500 || code === -32603);
      const count = paymaster.answers.length;
      return faults.length === 0
        ? passed(`none of ${count} answers`, 'none')
        : failed(
            `${faults.length} of ${count} answers are internal errors: ${faults[0].message ?? `HTTP ${faults[0].http}`}`,
            'internal errors',
          );
    },
  },
];
