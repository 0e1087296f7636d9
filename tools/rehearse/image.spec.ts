import { parseImage } from './image';

describe('parseImage', () => {
  it('reads what the last stage says, over several lines and in quotes', () => {
    const text = `FROM node AS build\nENV PORT=1\nCMD ["make"]\nFROM node\nENV PORT=3000 \\\n  NAME="a b"\nCMD ["node", "main.js"]\n`;
    expect(parseImage('app', text)).toEqual({
      app: 'app',
      env: { PORT: '3000', NAME: 'a b' },
      command: ['node', 'main.js'],
    });
  });

  it('refuses an image without a command', () => {
    expect(() => parseImage('app', 'FROM node\n')).toThrow('docker/app.Dockerfile says no command');
  });
});
