// Clients of a server under test, in a process of their own, so that they hold up neither its event loop nor each other.
const { readFileSync } = require('node:fs');
const { Agent, request } = require('node:http');
const { setPriority } = require('node:os');
const { setTimeout: sleep } = require('node:timers/promises');

/** A slow server is not to be asked less often: as many of the honest one's requests may be open at once. */
const HONEST_CONNECTIONS = 32;
const KEPT_TEXT = 300;

const PLAYS = {
  /** Sends a request whenever one is due. @returns what came back, and after how long */
  async honest({ origin, pid, requests, everyMs, forMs }) {
    const agent = new Agent({ keepAlive: true, maxSockets: HONEST_CONNECTIONS });
    const beganMs = performance.now();
    const open = [];
    for (let at = 0; at * everyMs < forMs; at++) {
      await sleep(Math.max(0, beganMs + at * everyMs - performance.now()));
      open.push(timed(send(agent, origin, requests[at % requests.length]), pid));
    }
    const answers = await Promise.all(open);
    agent.destroy();
    return answers;
  },

  /** Each attacker sends one request after the other until {@link PLAYS.stop}. */
  async attack({ origin, attackers }) {
    attack = { isOver: false, statuses: {} };
    attack.loops = attackers.map((attacker) => attackWith(attack, origin, attacker));
  },

  /** @returns how often each status was answered */
  async stop() {
    attack.isOver = true;
    await Promise.all(attack.loops);
    return attack.statuses;
  },
};

let attack;

// Attackers have machines of their own; on this one they leave the processor to everybody else.
setPriority(Number(process.argv[2]));
process.on('disconnect', () => process.exit());
process.on('message', ({ play, ...options }) => {
  PLAYS[play](options).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: String(error.stack) }),
  );
});

async function attackWith(attack, origin, { requests, everyMs }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let at = 0; !attack.isOver; at++) {
    const nextMs = performance.now() + everyMs;
    const { status } = await send(agent, origin, requests[at % requests.length]);
    attack.statuses[status] = (attack.statuses[status] ?? 0) + 1;
    await sleep(Math.max(0, nextMs - performance.now()));
  }
  agent.destroy();
}

async function timed(sent, pid) {
  const [sentMs, before] = [performance.now(), scheduledOf(pid)];
  const answer = await sent;
  const after = scheduledOf(pid);
  const ms = performance.now() - sentMs;
  return { ...answer, ms, serverMs: after.ranMs - before.ranMs, waitedMs: after.waitedMs - before.waitedMs };
}

/**
 * How long the first thread of a process, that of its event loop, has had a processor, and has waited for one. Linux
 * counts the first at each tick.
 */
function scheduledOf(pid) {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return { ranMs: Number(ran) / 1_000_000, waitedMs: Number(waited) / 1_000_000 };
}

function send(agent, origin, { method, path, headers, body }) {
  return new Promise((resolve) => {
    const sent = request(new URL(path, origin), { agent, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        if (text.length < KEPT_TEXT) text += chunk.toString('latin1', 0, KEPT_TEXT);
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', () => resolve({ status: 0, text: 'cut' }));
    });
    sent.on('error', (error) => resolve({ status: 0, text: String(error) }));
    sent.end(body);
  });
}
