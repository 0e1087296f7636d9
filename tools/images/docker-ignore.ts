/** Whether a path of the build context, relative and with `/`, is kept out of it. */
export type IsIgnored = (path: string) => boolean;

/**
 * Reads a .dockerignore as Docker does: the last line that fits a path or a folder above it decides.
 *
 * @throws when a line uses more than `*`, a leading `**` or a leading `!`
 */
export function parseDockerIgnore(text: string): IsIgnored {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const ignore = !line.startsWith('!');
      return { ignore, fits: pattern(ignore ? line : line.slice(1)) };
    })
    .reverse();
  return (path) => {
    const parts = path.split('/');
    const withFoldersAbove = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
    return rules.find(({ fits }) => withFoldersAbove.some((each) => fits.test(each)))?.ignore ?? false;
  };
}

function pattern(glob: string): RegExp {
  const [, anywhere = '', rest = ''] = /^(\*\*\/)?(.*)$/.exec(glob) ?? [];
  if (!/^[\w.*-]+(\/[\w.*-]+)*$/.test(rest) || rest.includes('**')) {
    throw new Error(`.dockerignore: ${glob} is not understood here`);
  }
  const escaped = rest.replace(/\./g, '\\.').replace(/\*/g, '[^/]*');
  return new RegExp(`^${anywhere ? '(.*/)?' : ''}${escaped}$`);
}
