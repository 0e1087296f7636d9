/** A block of commands in a page, and the heading above it. */
export interface ShellBlock {
  readonly heading: string;
  readonly commands: string;
}

/** The blocks of a Markdown page that are fenced as `sh`, in their order. */
export function shellBlocks(markdown: string): ShellBlock[] {
  const blocks: ShellBlock[] = [];
  let heading = '';
  let commands: string[] | undefined;
  for (const line of markdown.split('\n')) {
    if (commands) {
      if (line === '```') {
        blocks.push({ heading, commands: commands.join('\n') });
        commands = undefined;
      } else commands.push(line);
    } else if (line === '```sh') commands = [];
    else if (line.startsWith('## ')) heading = line.slice(3);
  }
  return blocks;
}

/** One script of all blocks, which stops at the first command that fails and says under which heading it is. */
export function walkScript(blocks: readonly ShellBlock[]): string {
  const said = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    'set -euo pipefail',
    ...blocks.map(({ heading, commands }, at) =>
      heading === blocks[at - 1]?.heading ? commands : `printf '\\n== %s\\n' ${said(heading)}\n${commands}`,
    ),
    "printf '\\n== walked to the end\\n'",
  ].join('\n');
}
