import { Alert, Card, List, Stack, Text, Title } from '@mantine/core';
import { limitInWords } from '@paymaster/domain';
import { useQuery } from '@tanstack/react-query';
import { policiesQuery, type Schemas } from '../../api/queries';
import { grouped } from '../../format/amount';
import { localTime } from '../../format/time';
import { measuredAmount } from '../../policy/limit-use';
import { FIELDS } from '../../policy/trace-sentence';
import { explorerLink, useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Hex } from '../../ui/hex';
import { Icon } from '../../ui/icon';
import { Calls } from '../operations/calls';
import { Trace } from '../operations/trace';
import { Why } from '../operations/why';

interface Props {
  readonly asked: Schemas['ExplainDto'];
  readonly answer: Schemas['ExplanationView'];
}

/** The gateway's answer: yes or no, what the operation calls, every rule, gas and cost. */
export function Explanation({ asked: { userOperation }, answer }: Props) {
  const { chain, symbol } = useChain();
  const { data: policies } = useQuery(policiesQuery(useScope()));
  const { sponsored, reason, message, details, policyId, maxCostWei, gasLimits, budgets, trace, calls } = answer;
  const { sender, nonce } = userOperation;
  const policy = policies?.find(({ _id }) => _id === policyId)?.name ?? policyId;
  return (
    <Card aria-live="polite">
      <Stack gap="lg">
        {sponsored ? (
          <Alert color="green" icon={<Icon name="check" />} title="It would be sponsored now">
            {policy ? `The policy “${policy}” sponsors it.` : 'It is whitelisted, and no rules policy is in force.'}
          </Alert>
        ) : (
          <Why operation={{ reason: reason ?? null, message: message ?? null, details: details ?? null }} />
        )}
        <section>
          <Title order={2} size="h5" mb={6}>
            What it is
          </Title>
          <Facts
            rows={[
              ['Account', <Hex key="s" value={sender} of="address" href={explorerLink(chain, 'address', sender)} />],
              [
                'Nonce',
                <span key="n" className="mono">
                  {nonce}
                </span>,
              ],
            ]}
          />
          {calls ? (
            <Calls calls={calls} />
          ) : (
            <Text size="sm" c="dimmed">
              The gateway does not understand this call data of the account, so it sponsors nothing of it.
            </Text>
          )}
        </section>
        <section>
          <Title order={2} size="h5" mb={6}>
            How it was decided
          </Title>
          <Trace lines={trace} isSponsored={sponsored} />
        </section>
        <section>
          <Title order={2} size="h5" mb={6}>
            Gas and cost
          </Title>
          <Facts
            rows={[
              [
                'At most',
                maxCostWei === null ? (
                  'refused before it was known'
                ) : (
                  <Amount key="c" wei={maxCostWei} symbol={symbol} />
                ),
              ],
              ...Object.entries(gasLimits ?? {}).map(
                ([name, value]) => [fieldName(name), `${grouped(value)} gas`] as const,
              ),
            ]}
          />
        </section>
        {budgets.length > 0 && (
          <section>
            <Title order={2} size="h5" mb={6}>
              Limits
            </Title>
            <List size="sm" spacing={4}>
              {budgets.map((budget, index) => (
                <List.Item key={index} className="breaks">
                  {budgetSentence(budget, symbol)}
                </List.Item>
              ))}
            </List>
          </section>
        )}
      </Stack>
    </Card>
  );
}

/** Without what stands in brackets: the column is narrow. */
function fieldName(name: string): string {
  const [, words = name] = /^The (.*) \(/.exec(FIELDS[name] ?? '') ?? [];
  return capitalized(words);
}

/** `Two a day: 2 of 5 used, and this operation needs 1; resets at …` */
function budgetSentence({ rule, unit, needed, used, limit, resetsAtSeconds }: Schemas['BudgetView'], symbol: string) {
  const [need, use, most] = [needed, used, limit].map((amount) => measuredAmount(unit, amount, symbol));
  const words = limitInWords(rule);
  const isLive = rule.startsWith('liveSignatures:');
  const never = isLive ? 'free again when they land or expire' : 'never resets';
  const resets = resetsAtSeconds === undefined ? never : `resets at ${localTime(at(resetsAtSeconds))}`;
  // The name of a policy stays as it is.
  const name = isLive ? capitalized(words) : words;
  return `${name}: ${use} of ${most} used, and this operation needs ${need}; ${resets}`;
}

function at(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
