import { ClientTurns, type TurnTaker } from './client-turns';

const of = (paymasterId: string, client?: string): TurnTaker => ({ paymasterId, client });
const [A1, A2, B3] = [of('a', '1'), of('a', '2'), of('b', '3')];

describe('ClientTurns', () => {
  it('bounds a client over all paymasters, a paymaster, and all together', () => {
    const turns = new ClientTurns({ perClient: 2, perPaymaster: 3, inAll: 4 });
    expect([turns.take(A1), turns.take(of('b', '1')), turns.take(A1)]).toEqual([undefined, undefined, 'perClient']);
    expect([turns.take(A2), turns.take(A2), turns.take(of('a', '4'))]).toEqual([undefined, undefined, 'perPaymaster']);
    expect(turns.take(B3)).toBe('inAll');
    turns.leave(A1);
    expect(turns.take(B3)).toBeUndefined();
  });

  it('bounds the paymaster and not its clients if the owner lets one client have all', () => {
    const turns = new ClientTurns({ perClient: 1, perPaymaster: 2 });
    expect([1, 2, 3].map(() => turns.take(of('a')))).toEqual([undefined, undefined, 'perPaymaster']);
  });

  it('takes all turns of a request or none, and as many as needed if the taker has none', () => {
    const turns = new ClientTurns({ perClient: 3, perPaymaster: 10 });
    expect([turns.take(A1, 5), turns.take(A2, 2), turns.take(A2, 2)]).toEqual([undefined, undefined, 'perClient']);
    expect(turns.take(A2)).toBeUndefined();
    turns.leave(A1, 5);
    expect(turns.take(A1, 5)).toBeUndefined();
  });

  describe('with a queue', () => {
    const queue = { perClient: 2, perPaymaster: 3, inAll: 4, longestMs: 60_000 };
    const NOW = 60_000;

    it('gives the next turn to the taker with the fewest turns, then to the longest waiting', async () => {
      const turns = new ClientTurns({ perClient: 1, perPaymaster: 2, inAll: 2 }, queue);
      turns.take(A1);
      turns.take(A2);
      const order: string[] = [];
      const waiting = [A1, of('a', '5'), B3, of('a', '6')].map(async (taker) => {
        expect(await turns.takeWhenFree(taker, NOW)).toBeUndefined();
        order.push(`${taker.paymasterId}${taker.client}`);
      });
      for (const taker of [A2, A1, B3, of('a', '5')]) {
        turns.leave(taker);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(waiting);
      expect(order).toEqual(['b3', 'a1', 'a5', 'a6']);
    });

    it('gives the next turn, among takers with as many turns, to the one that had its turn longest ago', async () => {
      const turns = new ClientTurns({ inAll: 1 }, { longestMs: 60_000 });
      turns.take(A1);
      const order: string[] = [];
      const enter = async (taker: TurnTaker, name: string): Promise<void> => {
        await turns.takeWhenFree(taker, NOW);
        order.push(name);
        turns.leave(taker);
      };
      const waiting = [A1, A1, A1].map((taker, at) => enter(taker, `greedy ${at}`));
      waiting.push(enter(A2, 'a neighbour'), enter(B3, 'another paymaster'));
      turns.leave(A1);
      await Promise.all(waiting);
      expect(order).toEqual(['greedy 0', 'a neighbour', 'another paymaster', 'greedy 1', 'greedy 2']);
    });

    it('does work in a turn, and frees the turn when the work fails', async () => {
      const turns = new ClientTurns({ perClient: 1 }, { longestMs: 60_000 });
      const refusal = (taken: string) => new Error(taken);
      const failing = turns.run(A1, NOW, { work: () => Promise.reject(new Error('down')), refusal });
      const next = turns.run(A1, NOW, {
        work: () => new Promise((resolve) => setTimeout(resolve, 50, 'done')),
        refusal,
      });
      const late = turns.run(A1, 1, { work: () => Promise.reject(new Error('not to be called')), refusal });
      await expect(failing).rejects.toThrow('down');
      await expect(late).rejects.toThrow('perClient');
      await expect(next).resolves.toBe('done');
    });

    it('refuses at once when the queue has no room for the client, the paymaster, or in all', async () => {
      const turns = new ClientTurns({ perClient: 1, perPaymaster: 1, inAll: 1 }, queue);
      turns.take(B3);
      const waiting = [A1, A1, A2].map((taker) => turns.takeWhenFree(taker, NOW));
      expect(turns.takeWhenFree(A1, NOW)).toBe('inAll');
      expect(turns.takeWhenFree(of('a', '7'), NOW)).toBe('inAll');
      waiting.push(turns.takeWhenFree(of('c', '8'), NOW));
      expect(turns.takeWhenFree(of('d', '9'), NOW)).toBe('inAll');
      for (const taker of [B3, A1, of('c', '8'), A2]) {
        turns.leave(taker);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined, undefined]);
    });

    it('names the reached bound when the time is over, and forgets the waiting taker', async () => {
      const turns = new ClientTurns({ perClient: 1, perPaymaster: 2 }, queue);
      turns.take(A1);
      expect(await turns.takeWhenFree(A1, 1)).toBe('perClient');
      turns.leave(A1);
      expect(turns.takeWhenFree(A1, 1)).toBeUndefined();
    });
  });
});
