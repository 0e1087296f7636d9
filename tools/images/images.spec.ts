import { readCompose } from './images';

describe('readCompose', () => {
  it('hands on no variable unexpanded, for the apps would take its name for a value', () => {
    const environments = Object.values(readCompose().services).map(({ environment = {} }) => environment);
    expect(environments.flatMap(Object.values).filter((value) => String(value).includes('${'))).toEqual([]);
  });

  it('takes the default of a variable whose default names another one', () => {
    expect(readCompose().services['dashboard']?.environment).toMatchObject({ PUBLIC_URL: 'http://localhost:3001' });
  });
});
