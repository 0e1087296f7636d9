import type { Schemas } from '../api/queries';

interface Actor {
  readonly personId: string | null;
  readonly tokenIdPrefix: string | null;
}

export interface KnownActors {
  readonly members: readonly Pick<Schemas['MemberView'], 'personId' | 'name' | 'walletAddress'>[];
  readonly tokens: readonly Pick<Schemas['AuthTokenView'], 'tokenId' | 'name'>[];
}

/** Who made a change: a person by name, a token by its name and the first digits of its id. */
export function actorName({ personId, tokenIdPrefix }: Actor, { members, tokens }: KnownActors): string {
  if (personId !== null) {
    const person = members.find((each) => each.personId === personId);
    return person?.name || person?.walletAddress || `the person ${personId.slice(0, 8)}…`;
  }
  if (tokenIdPrefix === null) return 'the operator of this installation';
  const token = tokens.find(({ tokenId }) => tokenId.startsWith(tokenIdPrefix));
  return token ? `the token “${token.name}” (${tokenIdPrefix})` : `the token ${tokenIdPrefix}`;
}
