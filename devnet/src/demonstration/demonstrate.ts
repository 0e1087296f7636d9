import type { Stack } from '../stack/stack-file';
import { demonstrateRefusal } from './demonstrate-refusal';
import { demonstrateSettlement } from './demonstrate-settlement';
import { demonstrateSponsorship } from './demonstrate-sponsorship';
import { demonstrateTokenPayment } from './demonstrate-token-payment';

/**
 * What the platform is for: accounts without coin have their operations sponsored, pay for them in tokens, are refused
 * with an explanation what the owner's limit does not give, and the books agree with the chain in the end.
 *
 * @param print takes the lines for the terminal
 * @throws {DemonstrationError} when anything seen on chain, in answers or in the books is not as it must be
 */
export async function demonstrate(stack: Stack, print: (line: string) => void): Promise<void> {
  const landedOnes = [
    ...(await demonstrateSponsorship(stack, print)),
    ...(await demonstrateTokenPayment(stack, print)),
    await demonstrateRefusal(stack, print),
  ];
  await demonstrateSettlement(stack, { landedOnes, print });
}
