import { Progress, Stack, Text, TextInput } from '@mantine/core';
import { limitInWords } from '@paymaster/domain';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isAddress } from 'viem';
import { policyUseQuery, type Schemas } from '../../api/queries';
import { usedPercent, useSentence } from '../../policy/limit-use';
import { useChain, useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';

/** How much of each limit is used now, and when it resets; of one account too, where a limit is per account. */
export function LimitsInUse({ policyId }: { readonly policyId: string }) {
  const [sender, setSender] = useState('');
  const typed = sender.trim();
  const isWrong = typed !== '' && !isAddress(typed, { strict: false });
  const use = useQuery(policyUseQuery(useScope(), policyId, isWrong || typed === '' ? undefined : typed));
  return (
    <Load of={use} what="The limits in use" height={60}>
      {(limits) =>
        limits.length === 0 ? (
          <Empty title="It has no limit">Add a limit, and what is used of it stands here.</Empty>
        ) : (
          <Stack gap="sm">
            {limits.some(({ perUser }) => perUser) && (
              <TextInput
                label="Account to look at"
                description="Limits of each account are shown for this one"
                placeholder="0x…"
                value={sender}
                onChange={(event) => setSender(event.currentTarget.value)}
                error={isWrong && 'An address is 0x and 40 hex digits.'}
                maw={480}
                spellCheck={false}
              />
            )}
            {limits.map((limit, index) => (
              <LimitInUse key={index} limit={limit} />
            ))}
          </Stack>
        )
      }
    </Load>
  );
}

function LimitInUse({ limit }: { readonly limit: Schemas['LimitUseView'] }) {
  const { symbol } = useChain();
  const { used, amount } = limit;
  const rule = limitInWords(limit.rule);
  const percent = used === null ? undefined : usedPercent(used, amount);
  return (
    <div>
      <Text size="sm" className="breaks">
        <b>{rule}</b>: {useSentence(limit, symbol)}
      </Text>
      {percent !== undefined && (
        <Progress
          value={percent}
          color={percent === 100 ? 'red' : 'cyan'}
          size="sm"
          mt={4}
          aria-label={`${percent} % of ${rule}`}
        />
      )}
    </div>
  );
}
