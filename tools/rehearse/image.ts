import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an image runs when its container says nothing else. */
export interface Image {
  readonly app: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Reads what our Dockerfile puts into an image of ours. @throws when it has no command in JSON */
export function readImage(root: string, image: string): Image {
  const app = /^(?:.*\/)?([a-z-]+)(?:[:@].*)?$/.exec(image)?.[1] ?? image;
  return parseImage(app, readFileSync(join(root, `docker/${app}.Dockerfile`), 'utf8'));
}

/** The last stage's ENV, ENTRYPOINT and CMD. */
export function parseImage(app: string, dockerfile: string): Image {
  const text = dockerfile.replace(/\\\n/g, ' ');
  const stage = text.slice(text.search(/^FROM (?![\s\S]*^FROM )/m));
  const env: Record<string, string> = {};
  for (const [, line = ''] of stage.matchAll(/^ENV (.*)$/gm)) {
    for (const [, name = '', quoted, bare] of line.matchAll(/([A-Za-z_]\w*)=(?:"([^"]*)"|(\S*))/g)) {
      env[name] = quoted ?? bare ?? '';
    }
  }
  const words = (instruction: string): string[] => {
    const found = new RegExp(`^${instruction} (\\[.*\\])\\s*$`, 'm').exec(stage)?.[1];
    return found === undefined ? [] : (JSON.parse(found) as string[]);
  };
  const command = [...words('ENTRYPOINT'), ...words('CMD')];
  if (command.length === 0) throw new Error(`docker/${app}.Dockerfile says no command`);
  return { app, env, command };
}
