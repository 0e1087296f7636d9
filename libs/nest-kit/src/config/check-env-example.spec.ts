import { checkEnvExample } from './check-env-example';
import { Env } from './env.decorator';

class ExampleConfig {
  @Env('PORT', 'The port to listen on.')
  readonly port!: number;

  @Env('TOKEN_KEY', 'The key that protects tokens.', { secret: true })
  readonly tokenKey!: string;
}

const check = (text: string): readonly string[] =>
  checkEnvExample({ text, section: 'example', configClass: ExampleConfig });

const GOOD = `### other
STRANGER=1

### example
# The port to listen on.
PORT=3000

# The key that protects tokens.
TOKEN_KEY=
`;

describe('checkEnvExample', () => {
  it('finds nothing when the section and the class agree', () => {
    expect(check(GOOD)).toEqual([]);
  });

  it.each([
    ['a missing variable', GOOD.replace('PORT=3000', ''), /has TOKEN_KEY, the class has PORT, TOKEN_KEY/],
    ['a variable nobody reads', `${GOOD}\n# x\nOLD=1\n`, /OLD, the class has/],
    ['an old description', GOOD.replace('to listen on', 'it uses'), /PORT is described as/],
    ['a secret with a value', GOOD.replace('TOKEN_KEY=', 'TOKEN_KEY=abc'), /must have no value/],
    ['no section at all', '', /has nothing/],
  ])('reports %s', (_title, text, expected) => {
    expect(check(text).join('\n')).toMatch(expected);
  });
});
