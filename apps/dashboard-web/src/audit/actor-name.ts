import type { Schemas } from '../api/queries';

interface Actor {
  readonly personId: string | null;
  readonly tokenIdPrefix: string | null;
}

export interface KnownActors {
  readonly members: readonly Pick<Schemas['MemberView'], 'personId' | 'name' | 'walletAddress'>[];
  readonly tokens: readonly Pick<Schemas['AuthTokenView'], 'tokenId' | 'name'>[];
}

/** Who made a change, by name and the first digits of the id: people choose their names, also those of others. */
export function actorName({ personId, tokenIdPrefix }: Actor, { members, tokens }: KnownActors): string {
  if (personId !== null) {
    const person = members.find((each) => each.personId === personId);
    const id = personId.slice(0, 8);
    return person ? `${person.name || person.walletAddress || 'a person without a name'} (${id})` : `the person ${id}`;
  }
  if (tokenIdPrefix === null) return 'the operator of this installation';
  const token = tokens.find(({ tokenId }) => tokenId.startsWith(tokenIdPrefix));
  return token ? `the auth token “${token.name}” (${tokenIdPrefix})` : `the auth token ${tokenIdPrefix}`;
}
