import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig, run } from '@paymaster/nest-kit';
import { DataSource } from 'typeorm';
import { DatabaseConfig } from './platform/config/database.config';
import { dataSourceOptions } from './schema/data-source';
import { isDatabaseUnavailable } from './platform/database/database-unavailable';
import { DeadEvent } from './platform/dead-events/dead-event';
import { DeadEventsRepository } from './platform/dead-events/dead-events.repository';
import { handlersOn, handOver } from './hand-over';

const HELP = `Events that a consumer of the event stream gave up, and that wait for a person.

  list                       the oldest first: id, when, consumer, subject and what was wrong
  retry ID... | --all        hands them to their consumers again; those that are handled leave the table
  discard ID... | --all      takes them out of the table: what they said stays missing
  --json                     list: a JSON object a line, with the event as it came
  --help                     this text

Nothing counts twice, so an event may be handed over again at any time, beside dashboards that are running.
Exit code 0: done. 1: some are left, or are not there. 2: the command is wrong.
Reads DATABASE_URL.
`;

const PAGE = 500;

/** What is done with each event; throws when it is to stay. */
type Act = (event: DeadEvent) => Promise<void>;

interface Command {
  readonly ids: readonly string[];
  readonly act: (dataSource: DataSource) => Act;
}

async function main(): Promise<void> {
  const command = readCommand();
  if (!command) return;
  // The schema stays as it is: this is for the one that runs.
  const dataSource = await new DataSource(dataSourceOptions(loadConfig(DatabaseConfig))).initialize();
  try {
    await forEachEvent(dataSource, command);
  } finally {
    await dataSource.destroy();
  }
}

async function forEachEvent(dataSource: DataSource, { ids, act }: Command): Promise<void> {
  const table = new DeadEventsRepository(dataSource.getRepository(DeadEvent));
  const actOn = act(dataSource);
  const seen = new Set<string>();
  let afterId = '0';
  for (;;) {
    const events = await table.page(afterId, PAGE, ids);
    for (const event of events) {
      seen.add(event.id);
      await actOn(event).catch((error: Error) => {
        if (isDatabaseUnavailable(error)) throw error;
        fail(`${event.id}  is left: ${error.message}`);
      });
    }
    const last = events.at(-1);
    if (!last) break;
    afterId = last.id;
  }
  for (const id of ids) if (!seen.has(id)) fail(`${id}  is not there`);
}

const list =
  (json: boolean) =>
  (): Act =>
  async ({ id, at, consumer, subject, problem, ...event }) => {
    if (json) return print(JSON.stringify({ id, at, consumer, subject, problem, ...event }));
    print(`${id}  ${at.toISOString()}  ${consumer}  ${subject}  ${problem.replace(/\s+/g, ' ')}`);
  };

function retry(dataSource: DataSource): Act {
  const table = new DeadEventsRepository(dataSource.getRepository(DeadEvent));
  const handlers = handlersOn(dataSource);
  return async (event) => {
    await handOver(event, handlers);
    await table.delete(event.id);
    print(`${event.id}  is handled`);
  };
}

function discard(dataSource: DataSource): Act {
  const table = new DeadEventsRepository(dataSource.getRepository(DeadEvent));
  return async ({ id }) => {
    await table.delete(id);
    print(`${id}  is discarded`);
  };
}

/** Undefined when there is nothing more to do: the help was asked for, or the command is wrong. */
function readCommand(): Command | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return void process.stdout.write(HELP);
    const [name, ...ids] = positionals;
    const wrong = ids.find((id) => !/^[1-9]\d{0,17}$/.test(id));
    if (wrong !== undefined) throw new Error(`${wrong} is no id.`);
    if (name === 'list' && ids.length === 0) return { ids, act: list(values.json) };
    if (name !== 'retry' && name !== 'discard') throw new Error(name ? `${name} is not known.` : 'Which command?');
    if (values.all === ids.length > 0) throw new Error('Which events? Name their ids, or --all.');
    return { ids, act: name === 'retry' ? retry : discard };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'Unknown arguments.'}\n\n${HELP}`);
    process.exitCode = 2;
    return undefined;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

run(main);
